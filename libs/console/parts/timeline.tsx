import type { Build, HistoryEntry } from '@sluice/contracts';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { versionOf, yesOrNo } from '../texts/shared';
import * as texts from '../texts/timeline';
import { eventWords } from './event-words';
import { Name } from './name';
import './timeline.css';
import { Time } from './values';

/** An entry of a history route. `actor_name`: the present name of its actor. */
export type TimelineEntry = HistoryEntry & { readonly actor_name: string | null };

type NamedBuild = Pick<Build, 'id' | 'version' | 'channel'>;

interface TimelineProps<Entry> {
  readonly entries: readonly Entry[];
  readonly buildPath?: (build: number, entry: Entry) => string;
  /** Builds that entries may be about. */
  readonly builds?: readonly NamedBuild[];
  /** Shown next to the time of an entry. */
  readonly aside?: (entry: Entry) => ReactNode;
}

/** Who did what and when, newest first, a list for each day. `buildPath`: the screen of a build. */
export function Timeline<Entry extends TimelineEntry>({
  entries,
  buildPath,
  builds = [],
  aside,
}: TimelineProps<Entry>) {
  const byId = new Map([...entries.flatMap(namedIn), ...builds].map((build) => [build.id, build]));
  return byDay(entries).map(([day, ofDay]) => (
    <section key={day} className="timeline-day">
      <h3>{dayWords(new Date(day))}</h3>
      <ol className="timeline">
        {ofDay.map((entry) => (
          <li key={entry.id} className={toneOf(entry.type)}>
            <Sentence
              entry={entry}
              build={byId.get(entry.build_id ?? 0)}
              path={entry.build_id === null ? undefined : buildPath?.(entry.build_id, entry)}
            />
            <p className="dim">
              <Time at={entry.at} />
              {aside?.(entry)}
            </p>
            <Changes entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  ));
}

/** Of the browser's time zone, in the order of the entries. */
function byDay<Entry extends TimelineEntry>(entries: readonly Entry[]): [day: string, ofDay: readonly Entry[]][] {
  const dayOf = ({ at }: Entry): string => new Date(at).toDateString();
  const days = [...new Set(entries.map(dayOf))];
  return days.map((day) => [day, entries.filter((entry) => dayOf(entry) === day)]);
}

const DAY_MS = 86_400_000;
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

function dayWords(day: Date): string {
  if (day.toDateString() === new Date().toDateString()) return texts.today;
  return day.toDateString() === new Date(Date.now() - DAY_MS).toDateString() ? texts.yesterday : dates.format(day);
}

interface SentenceProps {
  readonly entry: TimelineEntry;
  readonly build: NamedBuild | undefined;
  readonly path: string | undefined;
}

/** For example “operator promoted 1.1.0 to production (20%): Faster start”. */
function Sentence({ entry, build: known, path }: SentenceProps): ReactNode {
  const { type, build_id: id, channel: ofEntry, key_id: key, before, after } = entry;
  const actor = actorWords(entry);
  const words = texts.sentence(type, before, after);
  const whole = after ?? before;
  const [version, name] = [known?.version ?? whole?.['version'], whole?.['name']];
  const channel = ofEntry ?? known?.channel;
  const because = texts.reason(type, after);
  const label = id === null ? undefined : versionOf(typeof version === 'string' ? version : undefined, id);
  const parts: Readonly<Record<string, ReactNode>> = {
    build:
      label === undefined ? (
        texts.unnamed.build
      ) : path === undefined ? (
        <strong>{label}</strong>
      ) : (
        <Link to={path}>{label}</Link>
      ),
    channel: <strong>{channel ?? texts.unnamed.channel}</strong>,
    named: (
      <>
        {typeof name === 'string' ? (
          <Name>{texts.named(name)}</Name>
        ) : key === null ? (
          texts.unnamed.named
        ) : (
          texts.key(key)
        )}
      </>
    ),
  };
  return (
    <p className="what">
      {words === undefined ? (
        texts.byActor(eventWords(type), actor)
      ) : (
        <>
          <strong>
            <Name>{actor}</Name>
          </strong>{' '}
          {words.split(/\{(\w+)\}/).map((text, at) => (
            <Fragment key={at}>{at % 2 === 0 ? text : parts[text]}</Fragment>
          ))}
        </>
      )}
      {because !== undefined && <span className="because">{texts.because(because)}</span>}
      {typeof whole?.['recall_of'] === 'number' && (
        <span className="dim"> {texts.republished(whole['republished_from_id'], whole['recall_of'])}</span>
      )}
    </p>
  );
}

/** For example `token “ci”`. */
export function actorWords({ actor, actor_name: name }: Pick<TimelineEntry, 'actor' | 'actor_name'>): string {
  const [kind = '', id = ''] = actor.split(':');
  if (kind === 'system') return texts.sluice(id);
  return name === null ? texts.unnamedActor(kind, id) : texts.actor(kind, name);
}

function toneOf(type: string): string {
  if (/Failed|Deleted|Revoked|Removal|Removed|BuildRecalled/.test(type)) return 'bad';
  if (/Paused|Deprecated|Archived|Cancelled/.test(type)) return 'warn';
  return /Activated|Resumed|Promoted/.test(type) ? 'good' : 'plain';
}

/** The build that an entry created or deleted. */
function namedIn({ build_id: id, channel, before, after }: TimelineEntry): NamedBuild[] {
  const version = (after ?? before)?.['version'];
  return id === null || channel === null || typeof version !== 'string' ? [] : [{ id, version, channel }];
}

/** Every member of a created or deleted object, else the members that changed. */
function Changes({ entry: { before, after, type, build_id: build } }: { readonly entry: TimelineEntry }) {
  const members = Object.keys({ ...before, ...after }).filter((member) => !texts.isSaid(type, member));
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
  if (before !== null && after !== null && members.length <= 3 && !/^(SigningKey|BuildActivated)/.test(type))
    return list;
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
  if (typeof value === 'boolean') return yesOrNo(value);
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
