import type { Collection, Document, Filter } from 'mongodb';
import type { Query, ReadableRows, Row } from '../port';
import { filterOf, member, sortOf, type Stored, toRow } from './documents';

/** Reads rows, not tombstones, of a collection. @param within met by all of them */
export function readDocuments<R extends Row>(stored: Collection<Stored>, within: Filter<Stored>): ReadableRows<R> {
  return {
    get: async (id) => {
      const document = await stored.findOne({ _id: id });
      return document && !document._gone ? (toRow(document) as R) : undefined;
    },
    find: async (query) => (await findDocuments(stored, within, query)).map((document) => toRow(document) as R),
    ids: async (query) => (await findDocuments(stored, within, query, { _id: 1 })).map(({ _id }) => _id),
    count: async (where) => stored.countDocuments({ ...filterOf(where), ...within }),
    countBy: async (fields, where, limit) => {
      const groups = await stored
        .aggregate<{ _id: Pick<R, (typeof fields)[number]>; count: number }>([
          { $match: { ...filterOf(where), ...within } },
          {
            $group: {
              _id: Object.fromEntries(fields.map((field) => [field, `$${member(field)}`])),
              count: { $sum: 1 },
            },
          },
          { $sort: { count: -1, ...Object.fromEntries(fields.map((field) => [`_id.${field}`, 1])) } },
          ...(limit === undefined ? [] : [{ $limit: limit }]),
        ])
        .toArray();
      return groups.map(({ _id, count }) => ({ ..._id, count }));
    },
  };
}

export async function findDocuments<R extends Row>(
  stored: Collection<Stored>,
  within: Filter<Stored>,
  { where, sort, offset = 0, limit }: Query<R> = {},
  projection?: Document,
): Promise<Stored[]> {
  const filter = { ...filterOf(where), ...within };
  // To the server, no limit is 0.
  if (limit === 0) return [];
  const options = { sort: sortOf(sort), skip: offset, ...(limit !== undefined && { limit }) };
  return stored.find(filter, { ...options, ...(projection && { projection }) }).toArray();
}
