import Database from 'libsql';

/** Processes that start together wait for each other's schema, longer than a write may wait later. */
const OPENING_TIMEOUT_MS = 30_000;
const PAUSE_MS = 50;

/**
 * Opens a file of SQLite and lets `prepare` have it first. SQLite refuses some steps of an opening at once, whatever
 * timeout it was given: beside a process that recovers the log of one that was killed, or that makes the file. Those
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

function openNow(path: string, prepare: (database: Database.Database) => void): Database.Database {
  const database = new Database(path, { timeout: OPENING_TIMEOUT_MS });
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
