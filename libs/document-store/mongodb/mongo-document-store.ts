import type { Logger } from '@sluice/kernel';
import type { AnyCollection, Collection, DocumentStore, ReadableRows, Row } from '../port';
import { type Connection, INDEX_CALL_MS, LONG_CALL_MS, openConnection } from './connection';
import { checkedName } from '../adapter-rules';
import { LIVE } from './documents';
import { isDuplicate } from './errors';
import { Generations } from './generations';
import { indexesOf, undeclaredIndexes } from './indexes';
import { readDocuments } from './reads';
import { openRows } from './rows';
import { openTarget } from './target';

export interface MongoDocumentStoreOptions {
  /** `mongodb://` or `mongodb+srv://`; its path names the database. */
  readonly url: string;
  /** The database, where the URL names none. */
  readonly database: string;
  readonly logger?: Logger | undefined;
}

/**
 * A document store in one database of MongoDB, for any number of processes.
 *
 * Writes are acknowledged by a majority and in the journal before their promises resolve. On a replica
 * set, also of one node, what belongs together is one transaction. A server without transactions is
 * written in turns, guarded by each row's position or version: a process that is killed meanwhile
 * leaves some rows ahead of their checkpoint, and they are written again from there.
 *
 * @throws DocumentStoreUnavailableError when no server answers for ENGINE_PATIENCE_MS; Error when it names a replica
 *   set without having transactions
 */
export async function openMongoDocumentStore({
  url,
  database,
  logger,
}: MongoDocumentStoreOptions): Promise<DocumentStore> {
  const connection = await openConnection(url, database, logger);
  const generations = new Generations(connection);
  const lastLive = new Map<string, number>();
  const opened = new Map<string, AnyCollection>();
  const call: typeof connection.call = (action, patienceMs) => connection.call(action, patienceMs);

  return {
    rows: (collection) => {
      opened.set(collection.name, collection);
      return openRows(connection, collection);
    },
    view: (projection, collection) => openView(connection, generations, lastLive, projection, collection),

    liveTarget: (projection) =>
      call(
        async (signal) =>
          openTarget(connection, generations, projection, await generations.openLive(projection, signal)),
        INDEX_CALL_MS,
      ),
    rebuildTarget: (projection) =>
      call(
        async (signal) =>
          openTarget(connection, generations, projection, await generations.openRebuild(projection, signal)),
        INDEX_CALL_MS,
      ),
    swap: (projection, target) =>
      call((signal) => generations.swap(projection, target.generation, signal), LONG_CALL_MS),

    product: () => call(() => connection.product()),
    undeclaredIndexes: () =>
      call(async () => {
        const found = [...opened.values()].map(async (collection) => {
          const { name } = collection;
          const undeclared = await undeclaredIndexes(connection.db.collection(name), indexesOf(collection));
          return undeclared.map((index) => `${name}.${index}`);
        });
        return (await Promise.all(found)).flat();
      }),

    ping: () =>
      call(async () => {
        const probe = connection.db.collection<{ _id: string }>('_probe');
        const at = { $set: { at: new Date() } };
        await probe.updateOne({ _id: 'ping' }, at, { upsert: true }).catch((error: unknown) => {
          // Another process wrote it first.
          if (!isDuplicate(error)) throw error;
        });
      }),
    close: () => connection.close(),
  };
}

function openView<R extends Row>(
  connection: Connection,
  generations: Generations,
  lastLive: Map<string, number>,
  projection: string,
  collection: Collection<R>,
): ReadableRows<R> {
  checkedName(projection);
  checkedName(collection.name);
  /** A swap moves the pointer first and drops rows then: those were whole to which it still points behind the read. */
  const fromLive = <T>(empty: T, read: (rows: ReadableRows<R>) => Promise<T>): Promise<T> =>
    connection.call(async () => {
      let generation = lastLive.get(projection) ?? (await generations.live(projection));
      while (generation !== undefined) {
        const rows = generations.rows(projection, generation, collection.name);
        const outcome = await read(readDocuments<R>(rows, { _gone: LIVE })).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        const now = await generations.live(projection);
        if (now === generation) {
          lastLive.set(projection, generation);
          if ('error' in outcome) throw outcome.error;
          return outcome.value;
        }
        generation = now;
      }
      return empty;
    }, LONG_CALL_MS);

  return {
    get: (id) => fromLive<R | undefined>(undefined, (rows) => rows.get(id)),
    find: (query) => fromLive<R[]>([], (rows) => rows.find(query)),
    ids: (query) => fromLive<string[]>([], (rows) => rows.ids(query)),
    count: (where) => fromLive(0, (rows) => rows.count(where)),
    countBy: (fields, where, limit) => fromLive([], (rows) => rows.countBy(fields, where, limit)),
  };
}
