import type { EventStore, Position, RecordedEvent } from '@sluice/event-store';
import { matches } from './matches';
import type { AnyCollection, Collection, Row, Where } from './port';
import type { ProjectedRows, Projection } from './projection';

export interface ReplayOptions<R extends Row> {
  readonly events: EventStore;
  readonly projection: Projection;
  /** The one of the projection's collections whose rows are asked for. */
  readonly collection: Collection<R>;
  readonly streams: readonly string[];
  /** Which events of these streams are replayed. Default: all. */
  readonly concerns?: (event: RecordedEvent) => boolean;
  /** Each stream is read up to its first event whose store time is later than this, ISO 8601. */
  readonly asOf?: string | undefined;
  /** Inclusive. */
  readonly upTo?: Position | undefined;
}

/** One event, and what it made of the rows that it changed. Undefined: there was, or is, no such row. */
export interface ReplayedEvent<R extends Row> {
  readonly event: RecordedEvent;
  readonly changes: readonly { readonly before: R | undefined; readonly after: R | undefined }[];
}

/**
 * Makes a projection's rows anew, in memory, from a few streams, and tells at each event what it
 * changed; in the store's order. Holds the rows, never the events: one event is in memory at a time
 * of each stream.
 * @throws what the projection's `apply` throws
 */
export async function* replayChanges<R extends Row>(options: ReplayOptions<R>): AsyncGenerator<ReplayedEvent<R>> {
  const { projection, collection } = options;
  const rows = new MemoryRows();
  for await (const event of replayedEvents(options)) {
    await projection.apply(event, rows);
    yield { event, changes: rows.takeChanges(collection) };
  }
}

/** The rows that these streams had made at the time `asOf`; as they stand now without it. */
export async function replayRows<R extends Row>(options: ReplayOptions<R>): Promise<R[]> {
  const rows = new MemoryRows();
  for await (const event of replayedEvents(options)) {
    await options.projection.apply(event, rows);
    rows.takeChanges(options.collection);
  }
  return rows.all(options.collection);
}

/** Several streams as one, in the store's order, less what the options leave out. */
export async function* replayedEvents<R extends Row>({
  events,
  streams,
  concerns = () => true,
  asOf,
  upTo,
}: Omit<ReplayOptions<R>, 'projection' | 'collection'>): AsyncGenerator<RecordedEvent> {
  const end = asOf === undefined ? Infinity : Date.parse(asOf);
  const readers = streams.map((stream) => events.readStream(stream)[Symbol.asyncIterator]());
  const heads = new Map<AsyncIterator<RecordedEvent>, RecordedEvent>();
  const advance = async (reader: AsyncIterator<RecordedEvent>): Promise<void> => {
    const next = await reader.next();
    const over = next.done === true || Date.parse(next.value.recordedAt) > end;
    if (over || (upTo !== undefined && next.value.position > upTo)) heads.delete(reader);
    else heads.set(reader, next.value);
  };
  try {
    for (const reader of readers) await advance(reader);
    while (heads.size > 0) {
      const [reader, event] = [...heads].reduce((first, head) => (head[1].position < first[1].position ? head : first));
      if (concerns(event)) yield event;
      await advance(reader);
    }
  } finally {
    for (const reader of readers) await reader.return?.();
  }
}

/** A projection's rows that nobody stores. */
class MemoryRows implements ProjectedRows {
  readonly #collections = new Map<string, Map<string, Row>>();
  /** What the rows were before the event in hand. */
  #before = new Map<string, Map<string, Row | undefined>>();

  put<R extends Row>(collection: Collection<R>, row: R): void {
    this.#set(collection.name, row.id, row);
  }

  async update<R extends Row>(collection: Collection<R>, id: string, change: (row: R) => R | undefined): Promise<void> {
    const row = this.#rows(collection.name).get(id);
    if (row !== undefined) this.#set(collection.name, id, change(row as R));
    return Promise.resolve();
  }

  delete(collection: AnyCollection, id: string): void {
    this.#set(collection.name, id, undefined);
  }

  async deleteWhere<R extends Row>(collection: Collection<R>, where: Where<R>): Promise<void> {
    for (const row of [...this.#rows(collection.name).values()]) {
      if (matches(row as R, where)) this.#set(collection.name, row.id, undefined);
    }
    return Promise.resolve();
  }

  all<R extends Row>(collection: Collection<R>): R[] {
    return [...this.#rows(collection.name).values()] as R[];
  }

  takeChanges<R extends Row>({ name }: Collection<R>): { before: R | undefined; after: R | undefined }[] {
    const changed = this.#before.get(name) ?? new Map<string, Row | undefined>();
    this.#before = new Map();
    const rows = this.#rows(name);
    return [...changed].map(([id, before]) => ({
      before: before as R | undefined,
      after: rows.get(id) as R | undefined,
    }));
  }

  #rows(collection: string): Map<string, Row> {
    const rows = this.#collections.get(collection) ?? new Map<string, Row>();
    this.#collections.set(collection, rows);
    return rows;
  }

  #set(collection: string, id: string, row: Row | undefined): void {
    const rows = this.#rows(collection);
    const before = this.#before.get(collection) ?? new Map<string, Row | undefined>();
    this.#before.set(collection, before);
    if (!before.has(id)) before.set(id, rows.get(id));
    if (row === undefined) rows.delete(id);
    else rows.set(id, row);
  }
}
