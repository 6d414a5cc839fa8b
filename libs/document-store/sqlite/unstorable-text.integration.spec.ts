import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import Database from 'libsql';
import type { Collection, Row } from '../port';
import { openSqliteDocumentStore } from './index';

interface Failure extends Row {
  readonly error: string;
}

const failures: Collection<Failure> = { name: 'failures', indexes: [] };

/** Rows as a release wrote them that stored half characters as they came. */
it('reads and groups rows that hold half characters and NUL, which ended the process', async () => {
  const folder = temporaryDirectory();
  const path = join(folder, 'documents.db');
  const store = await openSqliteDocumentStore({ path });
  await store.rows(failures).put({ id: '0', error: 'disk' });
  const file = new Database(path);
  const insert = file.prepare('INSERT INTO "rows/failures" (id, version, doc) VALUES (?, 1, ?)');
  for (const [id, error] of ['\ud800', '\ud800', '\udfff', '\0one', '\0two'].entries()) {
    insert.run(`${id + 1}`, JSON.stringify({ id: `${id + 1}`, error }));
  }
  file.close();

  expect((await store.rows(failures).get('1'))?.error).toBe('\ud800');
  const groups = await store.rows(failures).countBy(['error']);
  expect(groups).toContainEqual({ error: '\ud800', count: 2 });
  expect(groups.map(({ error }) => error).sort()).toEqual(['\0one', '\0two', 'disk', '\ud800', '\udfff']);
  await store.close();
});
