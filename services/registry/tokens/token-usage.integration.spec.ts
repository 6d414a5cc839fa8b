import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { lastUses, recordUses } from './token-usage';

let folder: string;
let store: DocumentStore;

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
});

afterEach(() => store.close());

it('stores the last use of each token, and nothing of those never used', async () => {
  await recordUses(store, [
    { id: 1, usedAt: '2026-01-01T00:00:00.000Z' },
    { id: 2, usedAt: '2026-01-01T00:00:01.000Z' },
  ]);
  expect(await lastUses(store, [1, 2, 3])).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', null]);
});

it('never takes back the later use that another gateway recorded', async () => {
  await recordUses(store, [{ id: 1, usedAt: '2026-01-01T00:00:04.000Z' }]);
  await recordUses(store, [{ id: 1, usedAt: '2026-01-01T00:00:00.000Z' }]);
  expect(await lastUses(store, [1])).toEqual(['2026-01-01T00:00:04.000Z']);
});
