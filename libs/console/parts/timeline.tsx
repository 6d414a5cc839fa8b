import type { HistoryEntry } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { eventWords } from './event-words';
import { Name } from './name';
import './timeline.css';
import { Badge, Time } from './values';

/** As a history answers it: `actor_name` is what its actor is called now. */
export type TimelineEntry = HistoryEntry & { readonly actor_name: string | null };

interface TimelineProps {
  readonly entries: readonly TimelineEntry[];
  readonly buildPath?: (build: number) => string;
}

/** Who did what and when, newest first. `buildPath`: where a build of it is shown. */
export function Timeline({ entries, buildPath }: TimelineProps) {
  return (
    <ol className="timeline">
      {entries.map((entry) => (
        <li key={entry.id} className={toneOf(entry.type)}>
          <p className="what">
            <strong>{eventWords(entry.type)}</strong>
            <About entry={entry} buildPath={buildPath} />
          </p>
          <p className="dim">
            <Time at={entry.at} /> by <Name>{actorWords(entry)}</Name>
          </p>
          <Changes entry={entry} />
        </li>
      ))}
    </ol>
  );
}

/** Such as `the token “ci”`. */
function actorWords({ actor, actor_name: name }: Pick<TimelineEntry, 'actor' | 'actor_name'>): string {
  const [kind = '', id = ''] = actor.split(':');
  if (kind === 'system') return `Sluice itself (${id})`;
  return name === null ? `${kind} ${id}, which is gone` : `the ${kind} “${name}”`;
}

function toneOf(type: string): string {
  if (/Failed|Deleted|Revoked|Removal|Removed/.test(type)) return 'bad';
  if (/Paused|Deprecated|Archived|Cancelled/.test(type)) return 'warn';
  return /Activated|Resumed|Promoted/.test(type) ? 'good' : 'plain';
}

function About({
  entry: { build_id: build, channel, key_id: key, before, after },
  buildPath,
}: {
  readonly entry: TimelineEntry;
  readonly buildPath: ((build: number) => string) | undefined;
}): ReactNode {
  const whole = after ?? before;
  const called = whole?.['version'] ?? whole?.['name'];
  return (
    <>
      {typeof called === 'string' && <Name>{called}</Name>}
      {build !== null &&
        (buildPath === undefined ? <span>build {build}</span> : <Link to={buildPath(build)}>build {build}</Link>)}
      {key !== null && <span>key {key}</span>}
      {channel !== null && <Badge tone="dim">{channel}</Badge>}
    </>
  );
}

/** What it changed: of what was made or deleted every member, else those that are another now. */
function Changes({ entry: { before, after, type } }: { readonly entry: TimelineEntry }) {
  const members = Object.keys({ ...before, ...after });
  if (members.length === 0) return null;
  const list = (
    <dl className="changes">
      {members.map((member) => (
        <div key={member}>
          <dt>{member.replaceAll('_', ' ')}</dt>
          <dd>
            {before !== null && <Value of={before[member]} />}
            {before !== null && after !== null && <span aria-label="became"> → </span>}
            {after !== null && <Value of={after[member]} />}
          </dd>
        </div>
      ))}
    </dl>
  );
  if (before !== null && after !== null && members.length <= 3 && !type.startsWith('SigningKey')) return list;
  return (
    <details>
      <summary>{after === null ? 'As it was' : before === null ? 'As it was made' : 'What changed'}</summary>
      {list}
    </details>
  );
}

function Value({ of: value }: { readonly of: unknown }) {
  if (value === null || value === undefined || value === '') return <span className="dim">none</span>;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}
