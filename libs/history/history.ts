import { isDeepStrictEqual } from 'node:util';
import type { Channel, HistoryCalls, HistoryEntry, HistoryFilter, ReplyOf, RequestOf } from '@sluice/contracts';
import {
  replayChanges,
  replayedEvents,
  type Collection,
  type Projection,
  type ReplayedEvent,
  type Row,
} from '@sluice/document-store';
import type { EventStore, Position, RecordedEvent } from '@sluice/event-store';
import { UnavailableError, UnknownEventError, type Json } from '@sluice/kernel';

/** What a service tells of an app's history: its own streams, read through one of its projections. */
export interface HistorySource<R extends Row> {
  readonly calls: HistoryCalls;
  readonly projection: Projection;
  readonly collection: Collection<R>;
  readonly streams: (appId: number) => readonly string[];
  /** Whether an event of these streams is about the app. Default: all are. */
  readonly concerns?: (event: RecordedEvent, appId: number) => boolean;
  readonly subject: (event: RecordedEvent) => Subject;
  /** The members of a row that anybody who reaches the app may see; no secret and no hash. */
  readonly view: (row: R) => View;
}

export interface Subject {
  readonly buildId?: number;
  readonly channel?: Channel;
  readonly keyId?: number;
}

type View = Readonly<Record<string, Json>>;

/** Answers both calls of a service's history by replaying the app's streams. */
export interface History {
  readonly calls: HistoryCalls;
  positions(
    events: EventStore,
    request: RequestOf<HistoryCalls['positions']>,
  ): Promise<ReplyOf<HistoryCalls['positions']>>;
  entries(events: EventStore, request: RequestOf<HistoryCalls['entries']>): Promise<ReplyOf<HistoryCalls['entries']>>;
}

/**
 * Before and after are what the service's own projection makes of each event, so that history tells
 * what readers saw. Memory holds the rows of one app, or of one build when that is asked for, and
 * what is answered.
 */
export function defineHistory<R extends Row>(source: HistorySource<R>): History {
  const { calls, projection, collection, streams } = source;

  const replayOf = (events: EventStore, { appId, buildId, to }: HistoryFilter) => ({
    events,
    projection,
    collection,
    streams: streams(appId),
    asOf: to,
    concerns: (event: RecordedEvent): boolean => {
      const about = source.subject(event).buildId;
      return (
        (source.concerns?.(event, appId) ?? true) && (buildId === undefined || about === undefined || about === buildId)
      );
    },
  });
  const wanted = (event: RecordedEvent, { buildId, type, actor, from }: HistoryFilter): boolean =>
    (buildId === undefined || source.subject(event).buildId === buildId) &&
    (type === undefined || event.type === type) &&
    (actor === undefined || event.metadata.actor === actor) &&
    (from === undefined || Date.parse(event.recordedAt) >= Date.parse(from));

  const entryOf = ({ event, changes: [change, ...others] }: ReplayedEvent<R>): HistoryEntry => {
    const { buildId, channel, keyId } = source.subject(event);
    return {
      id: event.id,
      at: event.recordedAt,
      type: event.type,
      actor: event.metadata.actor,
      build_id: buildId ?? null,
      channel: channel ?? null,
      key_id: keyId ?? null,
      ...(change === undefined || others.length > 0
        ? { before: null, after: null }
        : difference(change.before && source.view(change.before), change.after && source.view(change.after))),
    };
  };

  return {
    calls,

    async positions(events, { newest, ...filter }) {
      let latest: Position[] = [];
      let total = 0;
      for await (const event of replayedEvents(replayOf(events, filter))) {
        if (!wanted(event, filter)) continue;
        total += 1;
        latest.push(event.position);
        if (latest.length > 2 * newest) latest = latest.slice(latest.length - newest);
      }
      return { positions: latest.reverse().slice(0, newest), total };
    },

    async entries(events, { first, last, ...filter }) {
      const entries: ReplyOf<HistoryCalls['entries']> = [];
      try {
        for await (const replayed of replayChanges({ ...replayOf(events, filter), upTo: last })) {
          const { event } = replayed;
          if (event.position >= first && wanted(event, filter)) {
            entries.push({ position: event.position, entry: entryOf(replayed) });
          }
        }
      } catch (error) {
        throw error instanceof UnknownEventError ? new UnavailableError(error.message) : error;
      }
      return entries;
    },
  };
}

/** Several histories of one service as one. */
export function joinHistories(calls: HistoryCalls, parts: readonly History[]): History {
  return {
    calls,

    async positions(events, request) {
      const found = await Promise.all(parts.map((part) => part.positions(events, request)));
      const merged = found
        .flatMap(({ positions }) => positions)
        .sort()
        .reverse();
      return {
        positions: merged.slice(0, request.newest),
        total: found.reduce((sum, { total }) => sum + total, 0),
      };
    },

    async entries(events, request) {
      const found = await Promise.all(parts.map((part) => part.entries(events, request)));
      return found.flat().sort((a, b) => (a.position < b.position ? -1 : 1));
    },
  };
}

/** Of a resource that was there before and after, the members that changed alone. */
function difference(before: View | undefined, after: View | undefined): Pick<HistoryEntry, 'before' | 'after'> {
  const json = (view: View) => view as NonNullable<HistoryEntry['before']>;
  if (before === undefined || after === undefined) {
    return { before: before === undefined ? null : json(before), after: after === undefined ? null : json(after) };
  }
  const changed = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return { before: null, after: null };
  const pick = (view: View) => json(Object.fromEntries(changed.map((name) => [name, view[name] ?? null])));
  return { before: pick(before), after: pick(after) };
}
