import type { Collection, IndexDescriptionInfo } from 'mongodb';
import type { AnyCollection } from '../port';
import type { Connection } from './connection';
import { member, type Stored } from './documents';
import { isMissingCollection } from './errors';

interface Index {
  readonly key: Readonly<Record<string, 1>>;
  readonly unique: boolean;
}

/** MongoDB's own. */
const INDEX_OF_IDS = '_id_';

/** One that takes longer is logged. */
const LOG_AFTER_MS = 5_000;

/** Those that the collection lacks: to ask takes no time, to build one over many documents does. */
export async function missingIndexes(stored: Collection<Stored>, indexes: readonly Index[]): Promise<Index[]> {
  const known = new Set((await presentIndexes(stored)).map(textOf));
  return indexes.filter((index) => !known.has(textOf(index)));
}

/** Names of those that stand there and are none of these: an earlier release made them, or somebody by hand. */
export async function undeclaredIndexes(stored: Collection<Stored>, indexes: readonly Index[]): Promise<string[]> {
  const declared = new Set(indexes.map(textOf));
  const others = (await presentIndexes(stored)).filter((index) => !declared.has(textOf(index)));
  return others.flatMap(({ name = '' }) => (name === INDEX_OF_IDS ? [] : name));
}

async function presentIndexes(stored: Collection<Stored>): Promise<IndexDescriptionInfo[]> {
  return stored.indexes().catch((error: unknown) => {
    if (isMissingCollection(error)) return [];
    throw error;
  });
}

const textOf = ({ key, unique = false }: Pick<IndexDescriptionInfo, 'key' | 'unique'>): string =>
  JSON.stringify({ key, unique });

/** Creates what is missing. The next process continues an interrupted creation. */
export async function createIndexes(
  { indexBuild, logger }: Pick<Connection, 'indexBuild' | 'logger'>,
  stored: Collection<Stored>,
  indexes: readonly Index[],
): Promise<void> {
  // One at a time: see ferretdb.ts.
  for (const { key, unique } of indexes) {
    const name = `The index (${Object.keys(key).join(', ')}) of ${stored.collectionName}`;
    const begun = performance.now();
    const logging = setTimeout(
      () => logger?.warn(`${name} is being built by MongoDB; what needs the collection waits for it, at most an hour`),
      LOG_AFTER_MS,
    ).unref();
    try {
      await stored.createIndex(key, { unique }, indexBuild);
    } finally {
      clearTimeout(logging);
    }
    const seconds = Math.round((performance.now() - begun) / 1_000);
    if (seconds >= LOG_AFTER_MS / 1_000) logger?.debug(`${name} was built in ${seconds} s`);
  }
}

/** The id comes last in an index that is not unique: it is the last criterion of every sort. */
export function indexesOf({ indexes }: AnyCollection): Index[] {
  return indexes.map(({ fields, unique = false, unordered = false }) => {
    const keys = fields.map(member);
    return { key: ascending(unique || unordered || keys.includes('_id') ? keys : [...keys, '_id']), unique };
  });
}

/**
 * Every index holds which rows are tombstones, so that a count reads only its keys and no row.
 * Tombstones, which have no members, hold no unique values: each has another `_gone`.
 */
export function viewIndexesOf(collection: AnyCollection): Index[] {
  const { indexes, counted = [] } = collection;
  const unique = indexes
    .filter((index) => index.unique)
    .map(({ fields }) => ascending([...fields.map(member), '_gone']));
  const plain = indexesOf({ ...collection, indexes: indexes.filter((index) => !index.unique) }).map(({ key }) => ({
    key: { ...key, _gone: 1 as const },
    unique: false,
  }));
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
