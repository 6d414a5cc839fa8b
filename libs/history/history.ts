import type { Channel, HistoryCalls, HistoryEntry, HistoryFilter, ReplyOf, RequestOf } from '@sluice/contracts';
import type { Collection, ReadStore, Row, Where } from '@sluice/document-store';
import type { ProjectedRows, Projection, Projections } from '@sluice/projections';
import type { Position, RecordedEvent, Revision } from '@sluice/event-store';
import { channelName, type DomainEvent, type Json, type JsonObject } from '@sluice/kernel';
import { difference } from './difference';
import type { HistoryPart, Subject } from './part';

/** One event, under its position: who did what to what, and what it changed. */
export interface EntryRow extends Row, Required<Omit<Subject, 'subjectId' | 'channel'>> {
  readonly id: Position;
  readonly eventId: string;
  readonly stream: string;
  readonly revision: Revision;
  /** The event store's time of the write, ms. */
  readonly time: number;
  /** The latest time of this event and of those before it in its stream, ms: clocks of a cluster differ. */
  readonly until: number;
  readonly type: string;
  readonly actor: string;
  readonly appId: number;
  /** Null where the service does not know it. */
  readonly ownerId: number | null;
  readonly subjectId: number | null;
  readonly channel: Channel | null;
  /** As in HistoryEntry. */
  readonly before: Readonly<Record<string, Json>> | null;
  readonly after: Readonly<Record<string, Json>> | null;
}

export const entryRows: Collection<EntryRow> = {
  name: 'entries',
  indexes: [
    // The index holds the member that a time filters by.
    { fields: ['appId', 'id', 'until', 'time'] },
    { fields: ['appId', 'type'] },
    { fields: ['appId', 'actor'] },
    { fields: ['appId', 'subject', 'subjectId'] },
    { fields: ['stream', 'until'] },
  ],
  counted: ['appId', 'type', 'actor'],
};

/** How far a stream's times have come, under its name. */
interface StreamRow extends Row {
  readonly until: number;
}

/** Sorts after every character of the name of a stream. */
const AFTER_NAMES = '~';

const streamRows: Collection<StreamRow> = { name: 'streams', indexes: [] };

/** Raise it when the rows' meaning changes. That of the parts' own rows is part of the projection's version. */
const VERSION = 1;

export interface HistorySource {
  readonly calls: HistoryCalls;
  /** The projection's name, of its own among all services. */
  readonly name: string;
  readonly parts: readonly HistoryPart[];
}

/** What the reads take of the service. */
export interface HistoryStores {
  readonly readStore: ReadStore;
  readonly projections: Pick<Projections, 'applied'>;
}

/** The history of a service's apps, from its own projection: a page costs only what is on it. */
export interface History {
  readonly calls: HistoryCalls;
  readonly projection: Projection<DomainEvent<string, JsonObject>>;
  /** @throws UnavailableError when the projection is behind the app's events and stays so */
  positions(
    stores: HistoryStores,
    request: RequestOf<HistoryCalls['positions']>,
  ): Promise<ReplyOf<HistoryCalls['positions']>>;
  entries(
    stores: HistoryStores,
    request: RequestOf<HistoryCalls['entries']>,
  ): Promise<ReplyOf<HistoryCalls['entries']>>;
  /** Of several apps, as far as the projection is: nothing waits for it, because readers ask again. */
  latest(stores: HistoryStores, request: RequestOf<HistoryCalls['latest']>): Promise<ReplyOf<HistoryCalls['latest']>>;
  /**
   * The last event of a stream before its first one whose store time is later than `asOf`, ISO 8601;
   * undefined when there is none.
   */
  lastAt(stores: HistoryStores, stream: string, asOf: string): Promise<EntryRow | undefined>;
  /** The streams of the app that no part can list, as far as the projection is. */
  furtherStreams(stores: HistoryStores, appId: number): Promise<readonly string[]>;
}

/**
 * Before and after are what the service's own projections make of each event, so that history shows
 * what readers saw: the parts' rows are kept once more, in step with the entries.
 *
 * An entry depends on rows that its event changes. Where a commit is no transaction, the entries are
 * written before those rows, so that an event applied again finds either the entry there or the rows
 * as they were.
 */
export function defineHistory({ calls, name, parts }: HistorySource): History {
  const view = ({ readStore }: HistoryStores) => readStore.view(name, entryRows);
  const streamsOf = (appId: number): string[] => parts.flatMap((part) => part.streams(appId));

  const lastUpTo = async (stores: HistoryStores, stream: string, time: number): Promise<EntryRow | undefined> => {
    const where = { stream, until: { lte: time } };
    const sort = [['until', 'desc'] as const, ['id', 'desc'] as const];
    const [last] = await view(stores).find({ where, sort, limit: 1 });
    return last;
  };
  /** Its times are none before this one that is not before the given one. */
  const firstFrom = async (stores: HistoryStores, stream: string, time: number): Promise<EntryRow | undefined> => {
    const where = { stream, until: { gte: time } };
    const [first] = await view(stores).find({ where, sort: [['until', 'asc']], limit: 1 });
    return first;
  };
  const furtherStreams = async (stores: HistoryStores, appId: number): Promise<readonly string[]> => {
    const listed = new Set(streamsOf(appId));
    const found = parts.map(async ({ furtherStreams: of }) => {
      if (of === undefined) return [];
      const prefix = of(appId);
      const where = { id: { gt: prefix, lt: `${prefix}${AFTER_NAMES}` } };
      return stores.readStore.view(name, streamRows).ids({ where });
    });
    return (await Promise.all(found)).flat().filter((stream) => !listed.has(stream));
  };
  /** Between which positions all entries of these times lie; undefined when there are none. */
  const stretchOf = async (stores: HistoryStores, { appId, from, to }: HistoryFilter) => {
    // Of many streams the bounds would cost more than they spare.
    if ((from ?? to) === undefined || (await furtherStreams(stores, appId)).length > 0) return {};
    const bound = async (time: string | undefined, find: typeof lastUpTo): Promise<Position[] | undefined> => {
      if (time === undefined) return undefined;
      const found = await Promise.all(streamsOf(appId).map((stream) => find(stores, stream, Date.parse(time))));
      return found.flatMap((entry) => entry?.id ?? []).sort();
    };
    const [first, last] = await Promise.all([bound(from, firstFrom), bound(to, lastUpTo)]);
    if (first?.length === 0 || last?.length === 0) return undefined;
    return {
      ...(first?.[0] !== undefined && { gte: first[0] }),
      ...(last !== undefined && { lte: last.at(-1) as Position }),
    };
  };

  return {
    calls,

    projection: {
      name,
      version: parts.reduce((sum, { projection }) => sum + projection.version, VERSION),
      prefixes: parts.flatMap(({ projection }) => projection.prefixes),
      collections: [entryRows, ...parts.flatMap(({ collections }) => collections), streamRows],
      apply: async (event, rows) => {
        const part = parts.find(({ projection }) =>
          projection.prefixes.some((prefix) => event.stream.startsWith(prefix)),
        );
        if (part === undefined) return;
        const { stream, appId, ownerId, subject, before, after } = await part.apply(event, rows);
        rows.put(entryRows, {
          id: event.position,
          eventId: event.id,
          stream,
          revision: event.revision,
          time: Date.parse(event.recordedAt),
          until: await untilOf(stream, event, rows),
          type: event.type,
          actor: event.metadata.actor,
          appId,
          ownerId,
          subject: subject.subject,
          subjectId: subject.subjectId ?? null,
          channel: subject.channel ?? null,
          ...difference(before, after),
        });
      },
    },

    async positions(stores, { newest, ...filter }) {
      await stores.projections.applied(name, streamsOf(filter.appId));
      const stretch = await stretchOf(stores, filter);
      if (stretch === undefined) return { positions: [], total: 0 };
      const where = { ...whereOf(filter), ...(Object.keys(stretch).length > 0 && { id: stretch }) };
      const [total, positions] = await Promise.all([
        view(stores).count(where),
        newest === 0 ? [] : view(stores).ids({ where, sort: [['id', 'desc']], limit: newest }),
      ]);
      return { positions, total };
    },

    async entries(stores, { first, last, ...filter }) {
      const where = { ...whereOf(filter), id: { gte: first, lte: last } };
      return (await view(stores).find({ where })).map((row) => ({ position: row.id, entry: toEntry(row) }));
    },

    async latest(stores, { apps, newest, before, type, actor }) {
      const found = apps.map((appId) => {
        const where = { ...whereOf({ appId, type, actor }), ...(before !== undefined && { id: { lt: before } }) };
        return view(stores).ids({ where, sort: [['id', 'desc']], limit: newest });
      });
      const ids = (await Promise.all(found)).flat().sort().reverse().slice(0, newest);
      if (ids.length === 0) return [];
      const rows = await view(stores).find({ where: { id: { in: ids } }, sort: [['id', 'desc']] });
      return rows.map((row) => ({ position: row.id, appId: row.appId, entry: toEntry(row) }));
    },

    lastAt: async (stores, stream, asOf) => {
      await stores.projections.applied(name, [stream]);
      return lastUpTo(stores, stream, Date.parse(asOf));
    },

    furtherStreams,
  };
}

async function untilOf(stream: string, event: RecordedEvent, rows: ProjectedRows): Promise<number> {
  let until = Date.parse(event.recordedAt);
  const known: StreamRow[] = [];
  if (event.revision > 0 || stream !== event.stream) {
    await rows.update(streamRows, stream, (row) => {
      known.push(row);
      return { ...row, until: (until = Math.max(row.until, until)) };
    });
  }
  if (known.length === 0) rows.put(streamRows, { id: stream, until });
  return until;
}

function whereOf({ appId, buildId, type, actor, from, to }: HistoryFilter): Where<EntryRow> {
  return {
    appId,
    ...(buildId !== undefined && { subject: 'build', subjectId: buildId }),
    ...(type !== undefined && { type }),
    ...(actor !== undefined && { actor }),
    ...(from !== undefined && { time: { gte: Date.parse(from) } }),
    ...(to !== undefined && { until: { lte: Date.parse(to) } }),
  };
}

function toEntry({ eventId, time, type, actor, subject, subjectId, channel, before, after }: EntryRow): HistoryEntry {
  return {
    id: eventId,
    at: new Date(time).toISOString(),
    type,
    actor,
    build_id: subject === 'build' ? subjectId : null,
    channel: channel === null ? null : channelName(channel),
    key_id: subject === 'apiKey' ? subjectId : null,
    before: before as HistoryEntry['before'],
    after: after as HistoryEntry['after'],
  };
}
