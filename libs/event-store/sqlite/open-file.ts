import { statSync } from 'node:fs';
import Database from 'libsql';

/** Processes that start together wait for each other's schema, longer than a write may wait later. */
const OPENING_TIMEOUT_MS = 30_000;
const PAUSE_MS = 50;

/**
 * Opens a file of SQLite and lets `prepare` have it first. SQLite rejects some steps of an opening immediately, whatever
 * timeout it was given: while another process recovers the log of one that was killed, or creates the file. Those
 * are repeated, on this thread, for 30 s.
 * @throws Error as `prepare` does, and for a file that can't be opened; its message is SQLite's
 */
export function openFile(path: string, prepare: (database: Database.Database) => void): Database.Database {
  const lateAt = performance.now() + OPENING_TIMEOUT_MS;
  for (;;) {
    try {
      return openNow(path, prepare);
    } catch (error) {
      const { message } = error as Error;
      // An SqliteError would reach another thread without its message.
      if (!message.includes('database is locked') || performance.now() > lateAt) throw new Error(message);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/**
 * Opens a file of SQLite whose statements throw a TypeError for a boolean parameter, for which libsql would
 * end the process.
 * @param timeoutMs how long a statement waits for a locked file
 */
export function openDatabase(path: string, timeoutMs: number): Database.Database {
  const database = new Database(path, { timeout: timeoutMs });
  const prepare = database.prepare.bind(database);
  return Object.assign(database, { prepare: (sql: string) => guarded(prepare(sql)) });
}

function guarded(statement: Database.Statement): Database.Statement {
  for (const method of ['run', 'get', 'all', 'iterate'] as const) {
    const native = statement[method].bind(statement) as (...values: unknown[]) => unknown;
    const checked = (...values: unknown[]): unknown => {
      if (values.some((value) => value === true || value === false || (Array.isArray(value) && holdsBoolean(value)))) {
        throw new TypeError('SQLite takes no boolean as a parameter: bind 1 or 0.');
      }
      return native(...values);
    };
    Object.assign(statement, { [method]: checked });
  }
  return statement;
}

function holdsBoolean(values: readonly unknown[]): boolean {
  return values.includes(true) || values.includes(false);
}

function openNow(path: string, prepare: (database: Database.Database) => void): Database.Database {
  const database = openDatabase(path, OPENING_TIMEOUT_MS);
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Answers whether the file still lies where it lay. SQLite writes on to one that lies elsewhere by now, or nowhere. */
export function placeOf(path: string): () => boolean {
  const opened = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === opened.ino && found.dev === opened.dev;
  };
}
