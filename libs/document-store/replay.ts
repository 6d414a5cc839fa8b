import type { EventStore } from '@sluice/event-store';
import { matches } from './matches';
import type { AnyCollection, Collection, Row, Where } from './port';
import type { ProjectedRows, Projection } from './projection';

export interface ReplayOptions<R extends Row> {
  readonly events: EventStore;
  readonly projection: Projection;
  /** The one of the projection's collections whose rows are asked for. */
  readonly collection: Collection<R>;
  /** Short ones: each is read whole. They are replayed one after the other. */
  readonly streams: readonly string[];
}

/**
 * The rows that these streams make now, made anew in memory.
 * @throws what the projection's `apply` throws
 */
export async function replayRows<R extends Row>(options: ReplayOptions<R>): Promise<R[]> {
  const { events, projection, collection, streams } = options;
  const rows = new MemoryRows();
  for (const stream of streams)
    for await (const event of events.readStream(stream)) await projection.apply(event, rows);
  return rows.all(collection);
}

/** A projection's rows that nobody stores. */
class MemoryRows implements ProjectedRows {
  readonly #collections = new Map<string, Map<string, Row>>();

  put<R extends Row>(collection: Collection<R>, row: R): void {
    this.#rows(collection.name).set(row.id, row);
  }

  async update<R extends Row>(collection: Collection<R>, id: string, change: (row: R) => R | undefined): Promise<void> {
    const rows = this.#rows(collection.name);
    const row = rows.get(id);
    if (row !== undefined) {
      const changed = change(row as R);
      if (changed === undefined) rows.delete(id);
      else rows.set(id, changed);
    }
    return Promise.resolve();
  }

  delete(collection: AnyCollection, id: string): void {
    this.#rows(collection.name).delete(id);
  }

  async deleteWhere<R extends Row>(collection: Collection<R>, where: Where<R>): Promise<void> {
    for (const row of [...this.#rows(collection.name).values()]) {
      if (matches(row as R, where)) this.delete(collection, row.id);
    }
    return Promise.resolve();
  }

  all<R extends Row>(collection: Collection<R>): R[] {
    return [...this.#rows(collection.name).values()] as R[];
  }

  #rows(collection: string): Map<string, Row> {
    const rows = this.#collections.get(collection) ?? new Map<string, Row>();
    this.#collections.set(collection, rows);
    return rows;
  }
}
