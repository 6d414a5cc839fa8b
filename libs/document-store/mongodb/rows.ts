import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { type Collection, DuplicateRowError, type Row, type Rows, type RowVersion } from '../port';
import { updateRow } from '../update-row';
import { writeInBulk } from './bulk';
import { type Connection, INDEX_CALL_MS, LONG_CALL_MS } from './connection';
import { checkedName, newVersion } from '../adapter-rules';
import { filterOf, type Stored, toDocument, toRow } from './documents';
import { isDuplicate, refusedOperations } from './errors';
import { createIndexes, indexesOf, missingIndexes } from './indexes';
import { withIds } from './ferretdb';
import { readDocuments } from './reads';

/** A collection of the state store. */
export function openRows<R extends Row>(connection: Connection, collection: Collection<R>): Rows<R> {
  const { name } = collection;
  const stored = connection.db.collection<Stored>(checkedName(name));
  const reads = readDocuments<R>(stored, {});
  const turn = `rows/${name}`;

  let made: Promise<unknown> | undefined;
  const make = async (step: Connection['call']): Promise<void> => {
    const missing = await step(() => missingIndexes(stored, indexesOf(collection)));
    if (missing.length > 0) await step(() => createIndexes(connection, stored, missing), INDEX_CALL_MS);
  };
  const call = <T>(action: (signal: AbortSignal) => Promise<T>, patienceMs?: number): Promise<T> =>
    connection.whole(async (step) => {
      made ??= make(step).catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      await made;
      return step(action, patienceMs);
    });

  const insertAbsent = async (document: Stored): Promise<boolean> => {
    try {
      await stored.insertOne(document);
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      if (await stored.findOne({ _id: document._id }, { projection: { _id: 1 } })) return false;
      throw new DuplicateRowError(name, document._id);
    }
  };
  const replace = async (document: Stored, guard: RowVersion | undefined): Promise<boolean> => {
    const filter = { _id: document._id, ...(guard !== undefined && { _version: guard }) };
    try {
      const { matchedCount, upsertedCount } = await stored.replaceOne(filter, document, {
        upsert: guard === undefined,
      });
      return matchedCount + upsertedCount > 0;
    } catch (error) {
      throw isDuplicate(error) ? new DuplicateRowError(name, document._id) : error;
    }
  };
  const writeAll = async (
    rows: readonly Row[],
    operations: readonly AnyBulkWriteOperation<Stored>[],
    session: ClientSession | undefined,
  ): Promise<void> => {
    const [refused] = await writeInBulk(connection, stored, operations, session && { session });
    if (refused !== undefined) throw new DuplicateRowError(name, rows[refused]?.id ?? '');
  };
  const insertAll = async (rows: readonly R[]): Promise<string[]> => {
    try {
      await stored.insertMany(rows.map(versioned), { ordered: false });
      return rows.map(({ id }) => id);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const refused = new Set(refusedOperations(error));
      return rows.flatMap(({ id }, at) => (refused.has(at) ? [] : [id]));
    }
  };

  return {
    get: (id) => call(() => reads.get(id)),
    getVersioned: (id) =>
      call(async () => {
        const document = await stored.findOne({ _id: id });
        return document ? { row: toRow(document) as R, version: document._version ?? 0 } : undefined;
      }),
    find: (query) => call(() => reads.find(query), LONG_CALL_MS),
    ids: (query) => call(() => reads.ids(query), LONG_CALL_MS),
    count: (where) => call(() => reads.count(where), LONG_CALL_MS),

    put: (row, guard) =>
      call(async (signal) => {
        const document = versioned(row);
        const written =
          guard === 'absent'
            ? await insertAbsent(document)
            : await connection.alone(turn, signal, () => replace(document, guard));
        return written ? document._version : undefined;
      }),
    update(id, change) {
      return updateRow(this, id, change);
    },
    putMany: (rows, guard) =>
      call(async (signal) => {
        if (rows.length === 0) return [];
        if (guard === 'absent') return insertAll(rows);
        const operations = rows.map(upsert);
        await connection.together(turn, signal, (session) => writeAll(rows, operations, session));
        return rows.map(({ id }) => id);
      }, LONG_CALL_MS),

    delete: (id, guard) =>
      call((signal) =>
        connection.alone(turn, signal, async () => {
          const filter = { _id: id, ...(guard !== undefined && { _version: guard }) };
          return (await stored.deleteOne(filter)).deletedCount === 1;
        }),
      ),
    deleteWhere: (where, limit) =>
      call((signal) => {
        const filter = filterOf(where);
        return connection.alone(turn, signal, async () => {
          if (limit === undefined) return (await stored.deleteMany(filter)).deletedCount;
          const found = await stored.find(filter, { projection: { _id: 1 }, limit }).toArray();
          const among = { $in: found.map(({ _id }) => _id) };
          return (await stored.deleteMany({ ...filter, _id: among })).deletedCount;
        });
      }, LONG_CALL_MS),

    add: (rows, members) =>
      call(async (signal) => {
        if (rows.length === 0) return;
        await connection.together(turn, signal, async (session) => {
          const found = await stored.find(withIds(rows.map(({ id }) => id)), session && { session }).toArray();
          const sums = new Map(found.map((document) => [document._id, toRow(document) as R]));
          for (const row of rows) sums.set(row.id, sumOf(sums.get(row.id), row, members));
          const summed = [...sums.values()];
          await writeAll(summed, summed.map(upsert), session);
        });
      }, LONG_CALL_MS),

    merge: (rows) =>
      call(async (signal) => {
        if (rows.length === 0) return;
        const operations = rows.map((row): AnyBulkWriteOperation<Stored> => {
          const { _id, ...members } = versioned(row);
          return { updateOne: { filter: { _id }, update: { $set: members }, upsert: true } };
        });
        await connection.together(turn, signal, (session) => writeAll(rows, operations, session));
      }, LONG_CALL_MS),

    countBy: (fields, where, limit) => call(() => reads.countBy(fields, where, limit), LONG_CALL_MS),
  };
}

function sumOf<R extends Row>(stored: R | undefined, row: R, members: readonly (keyof R & string)[]): R {
  if (stored === undefined) return row;
  const sums = members.map((name) => [name, Number(stored[name] ?? 0) + Number(row[name] ?? 0)]);
  return { ...row, ...(Object.fromEntries(sums) as Partial<R>) };
}

/** Random, so that a row that is deleted and created again never has a version that someone still holds. */
function versioned(row: Row): Stored & { readonly _version: RowVersion } {
  return { ...toDocument(row, {}), _version: newVersion() };
}

function upsert(row: Row): AnyBulkWriteOperation<Stored> {
  return { replaceOne: { filter: { _id: row.id }, replacement: versioned(row), upsert: true } };
}
