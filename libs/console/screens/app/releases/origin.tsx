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

/** The commit of a build and the run of its CI, as far as the metadata has them. */
export function Origin({ metadata = {} }: OriginProps) {
  const { commit = '', commit_url: commitUrl = '', run_url: runUrl = '' } = metadata;
  return (
    <>
      {commit !== '' && (
        <>
          {' · '}
          <WebLink address={commitUrl}>
            <code title={commit}>{shortCommit(commit)}</code>
          </WebLink>
        </>
      )}
      {isWebAddress(runUrl) && (
        <>
          {' · '}
          <WebLink address={runUrl}>{texts.run}</WebLink>
        </>
      )}
    </>
  );
}

/** All metadata of a build, if it has any. */
export function Metadata({ metadata = {} }: OriginProps) {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  const facts: Record<string, ReactNode> = {};
  for (const [key, value] of pairs) facts[key] = <WebLink address={value}>{value}</WebLink>;
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
