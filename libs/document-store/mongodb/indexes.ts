import type { Collection } from 'mongodb';
import type { AnyCollection } from '../port';
import { member, type Stored } from './documents';

interface Index {
  readonly key: Readonly<Record<string, 1>>;
  readonly unique: boolean;
}

/** Creates what is missing. */
export async function createIndexes(stored: Collection<Stored>, indexes: readonly Index[]): Promise<void> {
  // One at a time: FerretDB 1 ends the connection when several of one call are there already.
  for (const { key, unique } of indexes) await stored.createIndex(key, { unique }, {});
}

/** The id comes last in an index that is not unique: it is the last criterion of every sort. */
export function indexesOf({ indexes }: AnyCollection): Index[] {
  return indexes.map(({ fields, unique = false, unordered = false }) => {
    const keys = fields.map(member);
    return { key: ascending(unique || unordered || keys.includes('_id') ? keys : [...keys, '_id']), unique };
  });
}

/**
 * Tombstones, which have no members, hold no unique values: each has another `_gone`. A count by the
 * values of counted members looks at their index alone.
 */
export function viewIndexesOf(collection: AnyCollection): Index[] {
  const { indexes, counted = [] } = collection;
  const unique = indexes
    .filter((index) => index.unique)
    .map(({ fields }) => ascending([...fields.map(member), '_gone']));
  const plain = indexesOf({ ...collection, indexes: indexes.filter((index) => !index.unique) });
  return [
    ...unique.map((key) => ({ key, unique: true })),
    ...plain,
    { key: ascending(['_gone']), unique: false },
    ...(counted.length === 0 ? [] : [{ key: ascending([...counted.map(member), '_gone']), unique: false }]),
  ];
}

function ascending(fields: readonly string[]): Record<string, 1> {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}
