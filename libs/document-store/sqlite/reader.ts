import type Database from 'libsql';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDatabase } from '@sluice/event-store/sqlite/open-file';
import type { Logger } from '@sluice/kernel';
import { DocumentStoreUnavailableError } from '../port';
import { cachedStatements } from './cached-statements';
import { openCountingProcess } from './counting-process';
import type { Fragment, Record, Value } from './sql';
import { isEngineFault } from './writer';

export interface Reader {
  /** The first row: read immediately, on this thread. */
  get(sql: string, values: readonly Value[]): Record | undefined;
  /** Rows of a short answer: likewise. */
  all(sql: string, values: readonly Value[]): Record[];
  /** Rows of an answer of any length, from one snapshot; other work of this thread runs between pages. */
  scan<T>(query: Fragment, read: (record: Record) => T): Promise<T[]>;
  /** Rows of a short answer that takes long to find, or groups what anybody wrote: read by another process, one query after the other. */
  apart(query: Fragment): Promise<readonly Record[]>;
  close(): Promise<void>;
}

/** After this long, a read of this thread lets others run first. */
export const TURN_MS = 1;
const IDLE_CONNECTIONS = 4;

/** Reads what is committed, by this process or another. @throws DocumentStoreUnavailableError from every method */
export function openReader(path: string, logger?: Logger): Reader {
  const connect = (): Database.Database => openDatabase(path, 5000);
  const database = connect();
  const counter = openCountingProcess({ path, logger });
  const idle: Database.Database[] = [];
  let closed = false;

  const prepared = cachedStatements((sql) => database.prepare(sql).raw());
  const closedError = () => new DocumentStoreUnavailableError(`The document store ${path} is closed.`);

  const release = (connection: Database.Database, finished: boolean): void => {
    if (finished && !closed && idle.length < IDLE_CONNECTIONS) idle.push(connection);
    else connection.close();
  };

  return {
    get: (sql, values) => {
      if (closed) throw closedError();
      return translated(() => prepared(sql).get(values) as Record | undefined);
    },

    all: (sql, values) => {
      if (closed) throw closedError();
      return translated(() => prepared(sql).all(values) as Record[]);
    },

    // An open cursor holds its connection's snapshot: each scan has a connection to itself.
    scan: async ({ sql, values }, read) => {
      if (closed) throw closedError();
      const connection = idle.pop() ?? translated(connect);
      let finished = false;
      try {
        const found = [];
        const cursor = translated(
          () =>
            connection
              .prepare(sql)
              .raw()
              .iterate(...values) as Iterator<Record>,
        );
        let turn = performance.now();
        for (let next = translated(() => cursor.next()); !next.done; next = translated(() => cursor.next())) {
          found.push(read(next.value));
          if (found.length % 50 === 0 && performance.now() - turn > TURN_MS) {
            await nextTurn();
            turn = performance.now();
          }
        }
        finished = true;
        return found;
      } finally {
        release(connection, finished);
      }
    },

    apart: (query) => counter.all(query),

    close: async () => {
      if (closed) return;
      closed = true;
      await counter.close();
      database.close();
      for (const connection of idle.splice(0)) connection.close();
    },
  };
}

function translated<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!isEngineFault(error)) throw error;
    throw new DocumentStoreUnavailableError(`The database could not be read: ${(error as Error).message}.`);
  }
}
