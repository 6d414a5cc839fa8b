import type { AnyBulkWriteOperation, ClientSession, Collection } from 'mongodb';
import { PURGE_INTERVAL_MS, TOMBSTONE_LIFETIME_MS, undeclaredCollection } from '../adapter-rules';
import {
  type AnyCollection,
  type Checkpoint,
  DuplicateRowError,
  type PositionedRow,
  type ProjectedWrite,
  type ProjectionIdentity,
  type ProjectionTarget,
} from '../port';
import { writeInBulk } from './bulk';
import { type Connection, LONG_CALL_MS } from './connection';
import { LIVE, member, type Stored, toDocument, toRow } from './documents';
import { type Generations, turnOf } from './generations';
import { withIds } from './ferretdb';
import { findDocuments } from './reads';

/** One generation of a projection's rows. */
export function openTarget(
  connection: Connection,
  generations: Generations,
  { name, collections }: ProjectionIdentity,
  generation: number,
): ProjectionTarget {
  const rowsOf = (collection: string) => generations.rows(name, generation, collection);
  const stateId = { _id: `${name}/${generation}` };
  let purgedAt = 0;

  const checkpoint = async (session?: ClientSession) =>
    (await generations.states.findOne(stateId, session && { session }))?.checkpoint;

  const purge = async (): Promise<void> => {
    if (performance.now() - purgedAt < PURGE_INTERVAL_MS && purgedAt > 0) return;
    purgedAt = performance.now();
    const old = tombstoneTime(Date.now() - TOMBSTONE_LIFETIME_MS);
    for (const collection of collections) {
      await rowsOf(collection.name).deleteMany({ _gone: { $gt: LIVE, $lt: old } });
    }
  };

  return {
    generation,

    checkpoint: () => connection.call(async () => (await checkpoint()) ?? undefined),

    read: (collection, ids) =>
      connection.call(async () => {
        const found = await rowsOf(collection).find(withIds(ids)).toArray();
        return new Map(found.map((document) => [document._id, positioned(document)]));
      }, LONG_CALL_MS),

    find: (collection, query) =>
      connection.call(async () => {
        const found = await findDocuments(rowsOf(collection.name), { _gone: LIVE }, query);
        return found.map((document) => positioned(document));
      }, LONG_CALL_MS),

    commit: (expected, next, writes) =>
      connection.call(async (signal) => {
        const written = byCollection(name, collections, writes);
        const done = await connection.together(turnOf(name), signal, async (session) => {
          const stored = await checkpoint(session);
          if (stored === undefined || !isSame(stored, expected)) return false;
          for (const [collection, changes] of written) {
            await writeRows(connection, rowsOf(collection.name), collection, changes, session);
          }
          const moved = { $set: { checkpoint: next } };
          const { matchedCount } = await generations.states.updateOne(stateId, moved, session && { session });
          // Without transactions, the generation may have been dropped meanwhile.
          return matchedCount === 1;
        });
        if (done) await purge();
        return done;
      }, LONG_CALL_MS),
  };
}

/**
 * Writes the last change of each row whose stored position is not as late. Rows that give unique values
 * up are put out of sight first, so that others of the commit find them free.
 */
async function writeRows(
  connection: Connection,
  rows: Collection<Stored>,
  { name, indexes }: AnyCollection,
  changes: readonly ProjectedWrite[],
  session: ClientSession | undefined,
): Promise<void> {
  const options = session && { session };
  const unique = indexes.filter((index) => index.unique).flatMap(({ fields }) => fields.map(member));
  const ids = [...new Set(changes.map(({ id }) => id))];
  const projection = Object.fromEntries(['_position', '_gone', ...unique].map((field) => [field, 1]));
  const found = await rows.find(withIds(ids), { ...options, projection }).toArray();
  const stored = new Map(found.map((document) => [document._id, document]));

  const latest = new Map<string, ProjectedWrite>();
  for (const change of changes) {
    const before = latest.get(change.id)?.position ?? stored.get(change.id)?._position;
    if (before === undefined || before < change.position) latest.set(change.id, change);
  }
  // Neighbours of one kind share a command where the order is kept. Nothing else depends on it: each id occurs here once.
  const written = [...latest.values()].map(documentOf);
  const documents = [false, true].flatMap((isNew) => written.filter(({ _id }) => stored.has(_id) !== isNew));

  const vacated = documents.filter((document) => {
    const before = stored.get(document._id);
    return before?._gone === LIVE && unique.some((field) => before[field] !== document[field]);
  });
  if (vacated.length > 0) {
    const operations = vacated.map(({ _id }): AnyBulkWriteOperation<Stored> => ({
      updateOne: { filter: { _id }, update: { $set: { _gone: `vacated/${_id}` } } },
    }));
    await writeInBulk(connection, rows, operations, options);
  }

  const operations = documents.map((document): AnyBulkWriteOperation<Stored> =>
    stored.has(document._id)
      ? {
          replaceOne: {
            filter: {
              _id: document._id,
              ...(connection.updatesAtOnce && { _position: { $lt: document._position ?? '' } }),
            },
            replacement: document,
          },
        }
      : { insertOne: { document } },
  );
  if (operations.length === 0) return;
  // A duplicate ends a transaction, and without one leaves the rest to be written.
  const ordered = session !== undefined;
  for (const at of await writeInBulk(connection, rows, operations, { ...options, ordered })) {
    const id = documents[at]?._id ?? '';
    // On the id, it means that the row was written already.
    if (session || !(await rows.findOne({ _id: id }, { projection: { _id: 1 } })))
      throw new DuplicateRowError(name, id);
  }
}

function documentOf({ id, row, position }: ProjectedWrite): Stored {
  return row === undefined
    ? { _id: id, _position: position, _gone: `${tombstoneTime(Date.now())}/${id}` }
    : toDocument(row, { _position: position, _gone: LIVE });
}

/** Sorts as the times do, behind LIVE. */
const tombstoneTime = (ms: number): string => String(ms).padStart(15, '0');

function positioned<R extends PositionedRow['row'] & object>(document: Stored): PositionedRow<R> {
  return {
    row: document._gone === LIVE ? (toRow(document) as R) : undefined,
    position: document._position ?? '',
  };
}

/**
 * In the order in which the projection declares its collections.
 * @throws TypeError for a collection that it does not declare
 */
function byCollection(
  projection: string,
  collections: readonly AnyCollection[],
  writes: readonly ProjectedWrite[],
): Map<AnyCollection, ProjectedWrite[]> {
  const declared = new Map(collections.map((collection) => [collection.name, collection]));
  const grouped = new Map<AnyCollection, ProjectedWrite[]>();
  for (const write of writes) {
    const collection = declared.get(write.collection);
    if (!collection) throw undeclaredCollection(projection, write.collection);
    const group = grouped.get(collection) ?? [];
    group.push(write);
    grouped.set(collection, group);
  }
  const order = ([collection]: [AnyCollection, unknown]): number => collections.indexOf(collection);
  return new Map([...grouped].sort((one, other) => order(one) - order(other)));
}

function isSame(stored: Checkpoint | null, expected: Checkpoint | undefined): boolean {
  return (
    stored?.position === expected?.position &&
    stored?.store === expected?.store &&
    stored?.version === expected?.version
  );
}
