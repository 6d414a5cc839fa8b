import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import Database from 'libsql';
import { openSqliteDocumentStore } from './sqlite-document-store';

it.each<[string, (path: string) => Promise<{ close(): Promise<void> }>]>([
  ['an event store', (path) => openSqliteEventStore({ path })],
  ['a document store', (path) => openSqliteDocumentStore({ path })],
])('%s waits for a file whose locks another connection holds, where SQLite fails immediately', async (_, open) => {
  const folder = temporaryDirectory();
  const path = join(folder, 'store.db');
  const holder = new Database(path);
  holder.exec('CREATE TABLE held (id INTEGER)');
  holder.exec('BEGIN IMMEDIATE');
  // To change the mode of the file's journal, SQLite takes no busy timeout for a reason to wait.
  expect(() => new Database(path, { timeout: 30_000 }).pragma('journal_mode = WAL')).toThrow('database is locked');
  const opening = open(path);
  opening.catch(() => undefined);
  await pause(500);
  holder.exec('ROLLBACK');
  holder.close();
  await (await opening).close();
});
