import type { Build, HistoryEntry } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { buildId, channelName } from '../texts/shared';
import * as texts from '../texts/timeline';
import { eventWords } from './event-words';
import { Name } from './name';
import './timeline.css';
import { Badge, Time } from './values';

/** An entry of a history route. `actor_name`: the present name of its actor. */
export type TimelineEntry = HistoryEntry & { readonly actor_name: string | null };

interface TimelineProps {
  readonly entries: readonly TimelineEntry[];
  readonly buildPath?: (build: number) => string;
  /** Builds that entries may be about. */
  readonly builds?: readonly NamedBuild[];
}

type NamedBuild = Pick<Build, 'id' | 'version' | 'channel'>;

/** Who did what and when, newest first. `buildPath`: the screen of a build. */
export function Timeline({ entries, buildPath, builds = [] }: TimelineProps) {
  const byId = new Map([...entries.flatMap(namedIn), ...builds].map((build) => [build.id, build]));
  return (
    <ol className="timeline">
      {entries.map((entry) => (
        <li key={entry.id} className={toneOf(entry.type)}>
          <p className="what">
            <strong>{eventWords(entry.type)}</strong>
            <About entry={entry} build={byId.get(entry.build_id ?? 0)} buildPath={buildPath} />
          </p>
          <p className="dim">
            <Time at={entry.at} /> {texts.by} <Name>{actorWords(entry)}</Name>
          </p>
          <Changes entry={entry} />
        </li>
      ))}
    </ol>
  );
}

/** For example `token “ci”`. */
function actorWords({ actor, actor_name: name }: Pick<TimelineEntry, 'actor' | 'actor_name'>): string {
  const [kind = '', id = ''] = actor.split(':');
  if (kind === 'system') return texts.sluice(id);
  return name === null ? texts.unnamedActor(kind, id) : texts.actor(kind, name);
}

function toneOf(type: string): string {
  if (/Failed|Deleted|Revoked|Removal|Removed|BuildRecalled/.test(type)) return 'bad';
  if (/Paused|Deprecated|Archived|Cancelled/.test(type)) return 'warn';
  return /Activated|Resumed|Promoted/.test(type) ? 'good' : 'plain';
}

function About({
  entry: { build_id: build, channel: ofEntry, key_id: key, before, after },
  build: known,
  buildPath,
}: {
  readonly entry: TimelineEntry;
  readonly build: NamedBuild | undefined;
  readonly buildPath: ((build: number) => string) | undefined;
}): ReactNode {
  const whole = after ?? before;
  const [version, name] = [known?.version ?? whole?.['version'], whole?.['name']];
  const channel = ofEntry ?? known?.channel ?? null;
  return (
    <>
      {typeof version === 'string' && <Name>{version}</Name>}
      {typeof version !== 'string' && typeof name === 'string' && <Name>{texts.named(name)}</Name>}
      {build !== null &&
        (buildPath === undefined ? <span>{buildId(build)}</span> : <Link to={buildPath(build)}>{buildId(build)}</Link>)}
      {key !== null && <span>{texts.key(key)}</span>}
      {typeof whole?.['recall_of'] === 'number' && (
        <span className="dim">{texts.republished(whole['republished_from_id'], whole['recall_of'])}</span>
      )}
      {channel !== null && <Badge tone="dim">{channelName(channel)}</Badge>}
    </>
  );
}

/** The build that an entry created or deleted. */
function namedIn({ build_id: id, channel, before, after }: TimelineEntry): NamedBuild[] {
  const version = (after ?? before)?.['version'];
  return id === null || channel === null || typeof version !== 'string' ? [] : [{ id, version, channel }];
}

/** Every member of a created or deleted object, else the members that changed. */
function Changes({ entry: { before, after, type, build_id: build } }: { readonly entry: TimelineEntry }) {
  const members = Object.keys({ ...before, ...after });
  if (members.length === 0) return /^RolloutChanged$/.test(type) && <p className="dim">{texts.unchangedRollout}</p>;
  const list = (
    <dl className="changes">
      {members.map((member) => (
        <div key={member}>
          <dt>{(build === null ? undefined : texts.ofBuilds[member]) ?? member.replaceAll('_', ' ')}</dt>
          <dd>
            {before !== null && <Value of={texts.buildWords(member, before[member])} />}
            {before !== null && after !== null && <span aria-label={texts.changedTo}> → </span>}
            {after !== null && <Value of={texts.buildWords(member, after[member])} />}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (before !== null && after !== null && members.length <= 3 && !/^SigningKey/.test(type)) return list;
  return (
    <details>
      <summary>
        {after === null ? texts.valuesAtDeletion : before === null ? texts.initialValues : texts.changes}
      </summary>
      {list}
    </details>
  );
}

function Value({ of: value }: { readonly of: unknown }) {
  if (value === null || value === undefined || value === '') return <span className="dim">{texts.none}</span>;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'object' && !Array.isArray(value)) return <Members of={value} />;
  return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}

/** For example the metadata of a build. */
function Members({ of: object }: { readonly of: object }) {
  const members = Object.entries(object) as [string, unknown][];
  if (members.length === 0) return <span className="dim">{texts.none}</span>;
  return (
    <dl className="changes">
      {members.map(([member, value]) => (
        <div key={member}>
          <dt>{member.replaceAll('_', ' ')}</dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
