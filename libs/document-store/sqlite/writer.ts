import type Database from 'libsql';
import { newVersion, PURGE_INTERVAL_MS, replacedGeneration, TOMBSTONE_LIFETIME_MS } from '../adapter-rules';
import { DocumentStoreUnavailableError, DuplicateRowError } from '../port';
import { cachedStatements } from './cached-statements';
import type { GenerationTables, RowWrite, WriteCall, WriteOperations, WriteOutcome } from './write-operations';
import {
  countsTable,
  createCounts,
  createIndex,
  indexName,
  member,
  quoted,
  UNIQUE,
  viewTable,
  type TableDefinition,
  type Value,
} from './sql';

export interface Writer {
  /** Runs the calls in one transaction. One that fails by itself changes nothing and leaves the others alone. */
  run(calls: readonly WriteCall[]): WriteOutcome[];
}

const PURGE_LIMIT = 1000;

/** @param now milliseconds of the wall clock, kept with tombstones */
export function createWriter(database: Database.Database, now: () => number = Date.now): Writer {
  const prepared = cachedStatements((sql) => database.prepare(sql));
  const purgedAt = new Map<string, number>();

  const run = (sql: string, ...values: Value[]): number => prepared(sql).run(...values).changes;
  const first = (sql: string, ...values: Value[]): readonly Value[] | undefined =>
    prepared(sql)
      .raw()
      .get(...values) as readonly Value[] | undefined;

  const operations: WriteOperations = {
    createTable: (definition) => {
      run(
        `CREATE TABLE IF NOT EXISTS ${quoted(definition.table)} (id TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, doc TEXT NOT NULL)`,
      );
      for (const index of definition.indexes) run(createIndex(definition, index));
      dropUndeclaredIndexes(definition);
    },

    put: (table, id, doc, guard) => {
      const version = newVersion();
      const name = quoted(table);
      if (guard === null) {
        run(
          `INSERT INTO ${name} (id, version, doc) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET version = excluded.version, doc = excluded.doc`,
          id,
          version,
          doc,
        );
        return version;
      }
      if (guard === 'absent') {
        if (first(`SELECT 1 FROM ${name} WHERE id = ?`, id)) return undefined;
        run(`INSERT INTO ${name} (id, version, doc) VALUES (?, ?, ?)`, id, version, doc);
        return version;
      }
      const changed = run(
        `UPDATE ${name} SET version = ?, doc = ? WHERE id = ? AND version = ?`,
        version,
        doc,
        id,
        guard,
      );
      return changed === 1 ? version : undefined;
    },

    putMany: (table, ids, docs, absent) => {
      const conflict = absent
        ? 'ON CONFLICT DO NOTHING'
        : 'ON CONFLICT (id) DO UPDATE SET version = excluded.version, doc = excluded.doc';
      const sql = `INSERT INTO ${quoted(table)} (id, version, doc) VALUES (?, ?, ?) ${conflict}`;
      return ids.filter((id, at) => {
        try {
          return run(sql, id, newVersion(), docs[at] ?? null) === 1;
        } catch (error) {
          throw duplicateOf(error, table, id);
        }
      });
    },

    delete: (table, id, guard) =>
      guard === null
        ? run(`DELETE FROM ${quoted(table)} WHERE id = ?`, id) === 1
        : run(`DELETE FROM ${quoted(table)} WHERE id = ? AND version = ?`, id, guard) === 1,

    deleteWhere: (table, { sql, values }, limit) =>
      limit === null
        ? run(`DELETE FROM ${quoted(table)} WHERE ${sql}`, ...values)
        : run(
            `DELETE FROM ${quoted(table)} WHERE rowid IN (SELECT rowid FROM ${quoted(table)} WHERE ${sql} LIMIT ?)`,
            ...values,
            limit,
          ),

    add: (table, ids, docs, members) => {
      const sums = members.map(
        (name) => `, '$.${name}', coalesce(${member(name)}, 0) + ${member(name, 'excluded.doc')}`,
      );
      const sql = `INSERT INTO ${quoted(table)} (id, version, doc) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET version = excluded.version, doc = json_set(excluded.doc${sums.join('')})`;
      ids.forEach((id, at) => run(sql, id, newVersion(), docs[at] ?? null));
    },

    merge: (table, ids, docs) => {
      const sql = `INSERT INTO ${quoted(table)} (id, version, doc) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET version = excluded.version, doc = json_patch(doc, excluded.doc)`;
      ids.forEach((id, at) => run(sql, id, newVersion(), docs[at] ?? null));
    },

    openLive: (tables) => {
      const live = liveGeneration(tables.projection);
      const generation = live ?? newGeneration(tables.projection);
      if (live === undefined) run('UPDATE projections SET live = ? WHERE name = ?', generation, tables.projection);
      createViewTables(tables, generation);
      return generation;
    },

    openRebuild: (tables) => {
      const live = liveGeneration(tables.projection) ?? 0;
      dropGenerations(tables.projection, (generation) => generation !== live);
      const generation = newGeneration(tables.projection);
      createViewTables(tables, generation);
      return generation;
    },

    swap: (projection, generation) => {
      const live = liveGeneration(projection);
      if (live === generation) return true;
      const target = checkpointOf(projection, generation);
      if (!target) throw replacedGeneration(projection, generation);
      const liveCheckpoint = live === undefined ? undefined : checkpointOf(projection, live);
      const ahead = liveCheckpoint?.store === target.store && (liveCheckpoint.position ?? '') > (target.position ?? '');
      if (ahead) return false;
      run('UPDATE projections SET live = ? WHERE name = ?', generation, projection);
      dropGenerations(projection, (other) => other !== generation);
      return true;
    },

    commit: (projection, generation, expected, next, writes) => {
      const stored = checkpointOf(projection, generation);
      if (
        !stored ||
        stored.position !== (expected?.position ?? null) ||
        stored.store !== (expected?.store ?? null) ||
        stored.version !== (expected?.version ?? null)
      ) {
        return false;
      }
      writeViewRows(writes);
      run(
        'UPDATE generations SET position = ?, store = ?, version = ? WHERE projection = ? AND generation = ?',
        next.position,
        next.store,
        next.version,
        projection,
        generation,
      );
      for (const table of new Set(writes.map(([name]) => name))) purgeTombstones(table);
      return true;
    },

    probe: () => {
      run('INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at', now());
    },
  };

  /** Of an earlier release. Not unique ones: another release that runs at the same time may rely on them. */
  function dropUndeclaredIndexes({ table, indexes }: TableDefinition): void {
    const declared = new Set(indexes.map((index) => indexName(table, index)));
    const found = prepared(`SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
      .raw()
      .all(table) as [string][];
    for (const [name] of found) {
      if (!declared.has(name) && !name.endsWith(UNIQUE)) run(`DROP INDEX ${quoted(name)}`);
    }
  }

  function liveGeneration(projection: string): number | undefined {
    const live = first('SELECT live FROM projections WHERE name = ?', projection)?.[0];
    return typeof live === 'number' && live > 0 ? live : undefined;
  }

  /** Generation numbers are never given twice: a runner of a dropped one can't mistake the next for its own. */
  function newGeneration(projection: string): number {
    run(
      `INSERT INTO projections (name, live, last) VALUES (?, 0, 1)
       ON CONFLICT (name) DO UPDATE SET last = last + 1`,
      projection,
    );
    const generation = first('SELECT last FROM projections WHERE name = ?', projection)?.[0] as number;
    run('INSERT INTO generations (projection, generation) VALUES (?, ?)', projection, generation);
    return generation;
  }

  function checkpointOf(projection: string, generation: number) {
    const row = first(
      'SELECT position, store, version FROM generations WHERE projection = ? AND generation = ?',
      projection,
      generation,
    );
    if (!row) return undefined;
    const [position, store, version] = row as [string | null, string | null, number | null];
    return { position, store, version };
  }

  function createViewTables({ projection, collections }: GenerationTables, generation: number): void {
    for (const collection of collections) {
      const table = viewTable(projection, generation, collection.collection);
      run(
        `CREATE TABLE IF NOT EXISTS ${quoted(table)} (id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, doc TEXT, deleted_at INTEGER)`,
      );
      run(
        `CREATE INDEX IF NOT EXISTS ${quoted(`${table}/deleted_at`)} ON ${quoted(table)} (deleted_at) WHERE deleted_at IS NOT NULL`,
      );
      const definition = { ...collection, table };
      // Without tombstones: rows of a view can be passed over in such an index, without a look at each.
      for (const index of collection.indexes) {
        run(createIndex(definition, index) + (index.unique ? '' : ' WHERE doc IS NOT NULL'));
      }
      const counts = countsTable(table);
      if (
        collection.counted.length > 0 &&
        !first(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`, counts)
      ) {
        for (const sql of createCounts(definition)) run(sql);
      }
    }
  }

  function dropGenerations(projection: string, which: (generation: number) => boolean): void {
    const generations = prepared('SELECT generation FROM generations WHERE projection = ?').raw().all(projection) as [
      number,
    ][];
    for (const [generation] of generations.filter(([number]) => which(number))) {
      const prefix = `view/${projection}/${generation}/`;
      const tables = prepared(`SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?`)
        .raw()
        .all(prefix.length, prefix) as [string][];
      for (const [table] of tables) run(`DROP TABLE ${quoted(table)}`);
      run('DELETE FROM generations WHERE projection = ? AND generation = ?', projection, generation);
    }
  }

  /**
   * In the order given; a row that finds its unique values held is tried again after the others,
   * one of which may give them up.
   */
  function writeViewRows(writes: readonly RowWrite[]): void {
    const deletedAt = now();
    const upserts = new Map<string, Database.Statement>();
    let waiting = writes;
    for (;;) {
      const refused: RowWrite[] = [];
      let fault: unknown;
      for (const write of waiting) {
        const [table, id, position, doc] = write;
        let upsert = upserts.get(table);
        if (!upsert) {
          upsert = prepared(
            `INSERT INTO ${quoted(table)} (id, position, doc, deleted_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET position = excluded.position, doc = excluded.doc, deleted_at = excluded.deleted_at
             WHERE position < excluded.position`,
          );
          upserts.set(table, upsert);
        }
        try {
          upsert.run(id, position, doc, doc === null ? deletedAt : null);
        } catch (error) {
          fault = duplicateOf(error, table, id);
          if (!(fault instanceof DuplicateRowError)) throw fault;
          refused.push(write);
        }
      }
      if (refused.length === 0) return;
      if (refused.length === waiting.length) throw fault;
      waiting = refused;
    }
  }

  function purgeTombstones(table: string): void {
    const time = now();
    if (time - (purgedAt.get(table) ?? 0) < PURGE_INTERVAL_MS) return;
    purgedAt.set(table, time);
    run(
      `DELETE FROM ${quoted(table)} WHERE rowid IN
       (SELECT rowid FROM ${quoted(table)} WHERE deleted_at IS NOT NULL AND deleted_at < ? LIMIT ${PURGE_LIMIT})`,
      time - TOMBSTONE_LIFETIME_MS,
    );
  }

  function runOne(call: WriteCall, isolated: boolean): WriteOutcome {
    const isolate = isolated && !SINGLE_WRITES.has(call.method);
    if (isolate) run('SAVEPOINT operation');
    try {
      const operation = operations[call.method] as (...args: readonly unknown[]) => unknown;
      const value = operation(...call.args);
      if (isolate) run('RELEASE operation');
      return { value };
    } catch (error) {
      if (isEngineFault(error)) throw error;
      if (!isolated && !SINGLE_WRITES.has(call.method)) throw new HalfDoneError();
      if (isolate) {
        run('ROLLBACK TO operation');
        run('RELEASE operation');
      }
      return { error: call.method === 'put' ? duplicateOf(error, call.args[0], call.args[1]) : (error as Error) };
    }
  }

  function runAll(calls: readonly WriteCall[], isolated: boolean): WriteOutcome[] {
    try {
      // Not prepared: a prepared BEGIN that found the file locked would stay open and hold up every COMMIT.
      database.exec('BEGIN IMMEDIATE');
      const outcomes = calls.map((call) => runOne(call, isolated));
      database.exec('COMMIT');
      return outcomes;
    } catch (error) {
      // SQLite has ended the transaction by itself after some faults.
      if (database.inTransaction) database.exec('ROLLBACK');
      if (error instanceof HalfDoneError) return runAll(calls, true);
      const unavailable = new DocumentStoreUnavailableError(
        `The database could not be written: ${(error as Error).message}.`,
      );
      return calls.map(() => ({ error: unavailable }));
    }
  }

  return { run: (calls) => runAll(calls, false) };
}

/** Changes nothing when they fail: they need no savepoint. */
const SINGLE_WRITES: ReadonlySet<keyof WriteOperations> = new Set(['put', 'delete', 'deleteWhere', 'probe']);

/** An operation of several writes failed by itself: the calls run once more, with savepoints, which cost time. */
class HalfDoneError extends Error {}

/** @throws SqliteError when the file can't be written */
export function createSchema(database: Database.Database): void {
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS projections (name TEXT PRIMARY KEY NOT NULL, live INTEGER NOT NULL, last INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS generations (
      projection TEXT NOT NULL, generation INTEGER NOT NULL, position TEXT, store TEXT, version INTEGER,
      PRIMARY KEY (projection, generation)
    );
    CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
    COMMIT;
  `);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function duplicateOf(error: unknown, table: string, id: string): Error {
  return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE'
    ? new DuplicateRowError(table.slice(table.lastIndexOf('/') + 1), id)
    : (error as Error);
}

const ENGINE_FAULT =
  /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PERM|PROTOCOL|INTERRUPT)(_|$)/;

/** A fault of the disk or file, not of the request. */
export function isEngineFault(error: unknown): boolean {
  return ENGINE_FAULT.test(codeOf(error));
}
