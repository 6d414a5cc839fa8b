import type { Collection, Filter } from 'mongodb';
import type { Query, ReadableRows, Row } from '../port';
import { filterOf, sortOf, type Stored, toRow } from './documents';

/** Reads rows, not tombstones, of a collection. @param within met by all of them */
export function readDocuments<R extends Row>(stored: Collection<Stored>, within: Filter<Stored>): ReadableRows<R> {
  return {
    get: async (id) => {
      const document = await stored.findOne({ _id: id });
      return document && !document._gone ? (toRow(document) as R) : undefined;
    },
    find: async (query) => (await findDocuments(stored, within, query)).map((document) => toRow(document) as R),
    count: async (where) => stored.countDocuments({ ...filterOf(where), ...within }),
  };
}

export async function findDocuments<R extends Row>(
  stored: Collection<Stored>,
  within: Filter<Stored>,
  { where, sort, offset = 0, limit }: Query<R> = {},
): Promise<Stored[]> {
  const filter = { ...filterOf(where), ...within };
  // To the server, no limit is 0.
  if (limit === 0) return [];
  return stored.find(filter, { sort: sortOf(sort), skip: offset, ...(limit !== undefined && { limit }) }).toArray();
}

/** FerretDB looks one id up, and goes through all documents for several. */
export function withIds(ids: readonly string[]): Filter<Stored> {
  const [id] = ids;
  return ids.length === 1 && id !== undefined ? { _id: id } : { _id: { $in: [...ids] } };
}
