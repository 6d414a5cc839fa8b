import type { Build } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Facts, Section } from '../../../parts/page';
import { isWebAddress } from '../../../parts/web-address';
import { WebLink } from '../../../parts/web-link';
import * as texts from '../../../texts/builds';

/** Undefined: of a server that is not upgraded yet. */
interface OriginProps {
  readonly metadata: Build['metadata'] | undefined;
}

/** It ends a line rather than begin the next one. */
const SEPARATOR = '\u00a0· ';

/** The commit of a build and the run of its CI, as far as the metadata has them. */
export function Origin({ metadata = {} }: OriginProps) {
  const { commit = '', run_url: runUrl = '' } = metadata;
  return (
    <>
      {commit !== '' && (
        <>
          {SEPARATOR}
          <Commit metadata={metadata} />
        </>
      )}
      {isWebAddress(runUrl) && (
        <>
          {SEPARATOR}
          <span className="whole">
            <WebLink address={runUrl}>{texts.run}</WebLink>
          </span>
        </>
      )}
    </>
  );
}

export const hasCommit = ({ metadata = {} }: OriginProps): boolean => metadata['commit'] !== undefined;

/** The commit of a build, a link where the metadata has its page. */
export function Commit({ metadata = {} }: OriginProps) {
  const { commit = '', commit_url: commitUrl = '' } = metadata;
  if (commit === '') return null;
  return (
    <WebLink address={commitUrl}>
      <code title={commit}>{shortCommit(commit)}</code>
    </WebLink>
  );
}

/** All metadata of a build, if it has any: first what the command line fills in. */
export function Metadata({ metadata = {} }: OriginProps) {
  const facts: Record<string, ReactNode> = {};
  const { commit, commit_url: commitUrl = '' } = metadata;
  for (const key of [...Object.keys(texts.metadataNames), ...Object.keys(metadata)]) {
    const value = metadata[key];
    const isOfCommit = key === 'commit_url' && commit !== undefined && isWebAddress(commitUrl);
    if (value === undefined || isOfCommit) continue;
    facts[texts.metadataNames[key] ?? key] = (
      <WebLink address={key === 'commit' ? commitUrl : value}>
        {key === 'commit' ? <code>{value}</code> : value}
      </WebLink>
    );
  }
  if (Object.keys(facts).length === 0) return null;
  return (
    <Section title={texts.metadata}>
      <Facts wide facts={facts} />
    </Section>
  );
}

/** Of a hash, as git shortens it. */
function shortCommit(commit: string): string {
  return commit.slice(0, /^[0-9a-f]{40,64}$/.test(commit) ? 7 : 20);
}
