import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { type Position, START } from '../port';
import { openFile } from './open-file';

/** Without a timeout even `prepare` fails when another process writes. */
const BUSY_TIMEOUT_MS = 5_000;
/** The log shrinks to this after a long reader let it grow. */
const MAX_IDLE_LOG_BYTES = 64 * 1024 * 1024;
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE store (identity TEXT NOT NULL) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    category TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  CREATE INDEX events_by_category ON events (category, position);
`;

/**
 * Opens a connection whose COMMIT returns once the data is on disk, and lets `prepare` have it first.
 * Creates the folder when missing.
 */
export function connect(path: string, prepare?: (database: Database.Database) => void): Database.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openFile(path, (database) => {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma(`journal_size_limit = ${MAX_IDLE_LOG_BYTES}`);
    prepare?.(database);
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  });
}

/** Makes the tables of a new file, with an identity of their own. @throws for a file of a newer release */
export function createSchema(database: Database.Database): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version > SCHEMA_VERSION) {
      throw new Error(`It has schema ${version}, made by a newer release; this release knows ${SCHEMA_VERSION}.`);
    }
    if (version === 0) {
      database.exec(SCHEMA);
      database.prepare('INSERT INTO store (identity) VALUES (?)').run(randomUUID());
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** The stream's name up to and including the first dash, else the whole name. */
export function categoryOf(stream: string): string {
  const dash = stream.indexOf('-');
  return dash === -1 ? stream : stream.slice(0, dash + 1);
}

const POSITION_DIGITS = 16;

/** Zero-padded, so that text order is number order. */
export function toPosition(row: number): Position {
  return row === 0 ? START : String(row).padStart(POSITION_DIGITS, '0');
}

export function fromPosition(position: Position): number {
  return position === START ? 0 : Number(position);
}

/** Why a file is not used that no longer lies where it lay. */
export const MOVED = 'it was moved or deleted. Put it back, or restart.';
