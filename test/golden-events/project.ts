import { type AnyCollection, matches, type Row } from '@sluice/document-store';
import type { Recorded } from '@sluice/event-store';
import type { DomainEvent, JsonObject } from '@sluice/kernel';
import type { ProjectedRows, Projection } from '@sluice/projections';

type Event = Recorded<DomainEvent<string, JsonObject>>;

/** Runs the events of a projection's streams through it, in memory. Answers its rows by collection. */
export async function project(
  projection: Projection,
  events: readonly Event[],
): Promise<Record<string, readonly Row[]>> {
  const stored = new Map(projection.collections.map(({ name }) => [name, new Map<string, Row>()]));
  const rowsOf = ({ name }: AnyCollection) => stored.get(name)!;
  const rows: ProjectedRows = {
    put: (collection, row) => void rowsOf(collection).set(row.id, row),
    update: (collection, id, change) => {
      const row = rowsOf(collection).get(id);
      const next = row === undefined ? undefined : change(row as never);
      if (next === undefined) rowsOf(collection).delete(id);
      else rowsOf(collection).set(id, next);
      return Promise.resolve();
    },
    delete: (collection, id) => void rowsOf(collection).delete(id),
    deleteWhere: (collection, where) => {
      for (const [id, row] of rowsOf(collection)) if (matches(row as never, where)) rowsOf(collection).delete(id);
      return Promise.resolve();
    },
  };
  for (const event of events) {
    if (!projection.prefixes.some((prefix) => event.stream.startsWith(prefix))) continue;
    try {
      await projection.apply(event, rows);
    } catch (error) {
      throw new Error(`${projection.name} takes no ${event.type} of ${event.stream}.`, { cause: error });
    }
  }
  return Object.fromEntries([...stored].map(([name, one]) => [name, [...one.values()]]));
}
