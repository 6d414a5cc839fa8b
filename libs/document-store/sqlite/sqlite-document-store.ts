import { mkdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dirname } from 'node:path';
import { wellFormedJson, type Logger } from '@sluice/kernel';
import { checkedName, undeclaredCollection } from '../adapter-rules';
import type {
  Checkpoint,
  Collection,
  DocumentStore,
  PositionedRow,
  ProjectedWrite,
  ProjectionIdentity,
  ProjectionTarget,
  ReadableRows,
  Row,
  Rows,
} from '../port';
import { updateRow } from '../update-row';
import { openReader, type Reader, TURN_MS } from './reader';
import { condition, isMissingTable, stateTable, tableDefinition, viewTable, type Record } from './sql';
import { readTable, unlessMissing, type Table } from './table';
import type { GenerationTables, RowWrite } from './write-operations';
import { startWriterThread, type WriterThread } from './writer-thread';

export interface SqliteDocumentStoreOptions {
  /** The database file; it and its folder are made when missing. */
  readonly path: string;
  /** Called when the process that counts dies. Default: not reported. */
  readonly logger?: Logger | undefined;
}

/**
 * A document store in one SQLite file, for any number of processes of one machine.
 *
 * Every write is on disk before its promise resolves; a thread of its own writes, and writes that
 * wait while it commits share one transaction. Reads run on the calling thread, in short pages, and
 * see what any process has committed. After a full disk has room again, writes succeed again.
 *
 * @throws DocumentStoreUnavailableError when the file can't be opened and written
 */
export async function openSqliteDocumentStore({ path, logger }: SqliteDocumentStoreOptions): Promise<DocumentStore> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const writer = await startWriterThread(path);
  const reader = openReader(path, logger);
  const lastLive: LiveGenerations = new Map();

  return {
    rows: (collection) => openRows(reader, writer, collection),
    view: (projection, collection) => openView(reader, lastLive, projection, collection),

    liveTarget: async (projection) =>
      openTarget(reader, writer, projection, await writer.call('openLive', generationTables(projection))),
    rebuildTarget: async (projection) =>
      openTarget(reader, writer, projection, await writer.call('openRebuild', generationTables(projection))),
    swap: (projection, target) => writer.call('swap', projection.name, target.generation),

    ping: () => writer.call('probe'),
    close: async () => {
      await writer.close();
      await reader.close();
    },
  };
}

function openRows<R extends Row>(reader: Reader, writer: WriterThread, collection: Collection<R>): Rows<R> {
  const definition = tableDefinition(stateTable(collection.name), collection);
  const { table } = definition;
  const reads = readTable(reader, table);
  const document = ([doc]: Record): R => JSON.parse(doc as string) as R;

  let made: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    made ??= writer.call('createTable', definition).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  /** The writer keeps the order of its calls: the table is there when this one comes. */
  const write: WriterThread['call'] = async (method, ...args) => {
    const [, written] = await Promise.all([ready(), writer.call(method, ...args)]);
    return written;
  };

  const read = async <T>(from: () => T | Promise<T>): Promise<T> => {
    await ready();
    return from();
  };
  const idsAndDocs = (rows: readonly Row[]) =>
    [rows.map(({ id }) => id), rows.map((row) => wellFormedJson(row))] as const;

  return {
    get: (id) =>
      read(() => {
        const record = reads.get('doc', id);
        return record && document(record);
      }),
    getVersioned: (id) =>
      read(() => {
        const record = reads.get('version, doc', id);
        return record && { row: JSON.parse(record[1] as string) as R, version: record[0] as number };
      }),
    find: (query = {}) => read(() => reads.find('doc', query, document)),
    ids: (query = {}) => read(() => reads.find('id', query, idIn)),
    count: (where) => read(() => reads.count(where)),
    put: (row, guard) => write('put', table, row.id, wellFormedJson(row), guard ?? null),
    update(id, change) {
      return updateRow(this, id, change);
    },
    putMany: async (rows, guard) =>
      rows.length === 0 ? [] : write('putMany', table, ...idsAndDocs(rows), guard === 'absent'),

    delete: (id, guard) => write('delete', table, id, guard ?? null),
    deleteWhere: async (where, limit) => write('deleteWhere', table, condition(where), limit ?? null),
    add: async (rows, members) => {
      if (rows.length > 0) await write('add', table, ...idsAndDocs(rows), members);
    },
    merge: async (rows) => {
      if (rows.length > 0) await write('merge', table, ...idsAndDocs(rows));
    },
    countBy: (fields, where, limit) => read(() => reads.countBy(fields, where, limit)),
  };
}

/** By projection: the generation that was live when it was last looked for. */
type LiveGenerations = Map<string, number>;

function openView<R extends Row>(
  reader: Reader,
  lastLive: LiveGenerations,
  projection: string,
  collection: Collection<R>,
): ReadableRows<R> {
  checkedName(projection);
  const document = ([doc]: Record): R => JSON.parse(doc as string) as R;
  const findLive = (): number | undefined => {
    const live = reader.get('SELECT live FROM projections WHERE name = ?', [projection])?.[0] as number | undefined;
    if (live) lastLive.set(projection, live);
    return live || undefined;
  };
  let last: { readonly generation: number; readonly table: Table } | undefined;
  const tableOf = (generation: number): Table => {
    if (last?.generation !== generation) {
      last = {
        generation,
        table: readTable(reader, viewTable(projection, generation, collection.name), collection.counted),
      };
    }
    return last.table;
  };
  /** A swap, by any process, drops the tables of the generation before it: as long as they are there, it is live. */
  const fromLive = async <T>(empty: T, read: (table: Table) => T | Promise<T>): Promise<T> => {
    for (let live = lastLive.get(projection) ?? findLive(); live;) {
      try {
        return await read(tableOf(live));
      } catch (error) {
        if (!isMissingTable(error)) throw error;
      }
      const now = findLive();
      if (now === live) break;
      live = now;
    }
    return empty;
  };

  return {
    get: (id) =>
      fromLive<R | undefined>(undefined, (table) => {
        const doc = table.get('doc', id)?.[0];
        return typeof doc === 'string' ? (JSON.parse(doc) as R) : undefined;
      }),
    find: (query = {}) => fromLive<R[]>([], (table) => table.find('doc', query, document)),
    ids: (query = {}) => fromLive<string[]>([], (table) => table.find('id', query, idIn)),
    count: (where) => fromLive(0, (table) => table.count(where)),
    countBy: (fields, where, limit) => fromLive([], (table) => table.countBy(fields, where, limit)),
  };
}

function openTarget(
  reader: Reader,
  writer: WriterThread,
  projection: ProjectionIdentity,
  generation: number,
): ProjectionTarget {
  const tableOf = (collection: string): string => viewTable(projection.name, generation, collection);
  const tables = new Map(projection.collections.map(({ name }) => [name, tableOf(name)]));
  /** One commit after the other, so that they reach the writer in the order of the calls. */
  let preparing: Promise<unknown> = Promise.resolve();

  const rowWrites = async (writes: readonly ProjectedWrite[]): Promise<RowWrite[]> => {
    const prepared: RowWrite[] = [];
    let turn = performance.now();
    for (const { collection, id, position, row } of writes) {
      const table = tables.get(collection);
      if (!table) throw undeclaredCollection(projection.name, collection);
      prepared.push([table, id, position, row === undefined ? null : wellFormedJson(row)]);
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
      }
    }
    return prepared;
  };

  return {
    generation,

    checkpoint: () =>
      new Promise((resolve) => {
        const [record] = reader.all(
          'SELECT position, store, version FROM generations WHERE projection = ? AND generation = ? AND position IS NOT NULL',
          [projection.name, generation],
        );
        resolve(record && checkpointIn(record));
      }),

    read: async (collection, ids) => {
      const read = ([id, position, doc]: Record): [string, PositionedRow] => [
        JSON.parse(id as string) as string,
        { row: doc === null ? undefined : (JSON.parse(doc as string) as Row), position: position as string },
      ];
      const table = readTable(reader, tableOf(collection));
      const answer = await unlessMissing(() => table.getMany('json_quote(id), position, doc', ids, read));
      return new Map(answer?.found);
    },

    find: async <R extends Row>(collection: Collection<R>, query: Parameters<ReadableRows<R>['find']>[0]) => {
      const table = readTable(reader, tableOf(collection.name));
      const read = ([position, doc]: Record): PositionedRow<R> => ({
        row: JSON.parse(doc as string) as R,
        position: position as string,
      });
      const answer = await unlessMissing(() => table.find<R, PositionedRow<R>>('position, doc', query ?? {}, read));
      return answer?.found ?? [];
    },

    commit: async (expected, next, writes) => {
      const prepared = preparing.then(() => rowWrites(writes));
      preparing = prepared.catch(() => undefined);
      return writer.call('commit', projection.name, generation, expected ?? null, next, await prepared);
    },
  };
}

function generationTables(projection: ProjectionIdentity): GenerationTables {
  return {
    projection: checkedName(projection.name),
    collections: projection.collections.map((collection) => {
      checkedName(collection.name);
      const { collection: name, indexes, counted } = tableDefinition('', collection);
      return { collection: name, indexes, counted };
    }),
  };
}

const idIn = ([id]: Record): string => id as string;

function checkpointIn(record: Record): Checkpoint {
  const [position, store, version] = record as [string, string, number];
  return { position, store, version };
}
