import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastUses } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { TokenUse } from './token-usage';

let folder: string;
let store: DocumentStore;
let now: string;
const reports: string[] = [];

const gateway = (state = store) =>
  new TokenUse(state, { now: () => new Date(now), monotonic: () => 0 }, (message) => reports.push(message));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

it('writes the last use of each token, and nothing of those never used', async () => {
  const use = gateway();
  now = '2026-01-01T00:00:00.000Z';
  use.note(1);
  use.note(2);
  now = '2026-01-01T00:00:01.000Z';
  use.note(2);
  await use.onApplicationShutdown();
  expect(await lastUses(store, [1, 2, 3])).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', null]);
});

it('never takes back the later use that another gateway wrote', async () => {
  const [early, late] = [gateway(), gateway()];
  now = '2026-01-01T00:00:00.000Z';
  early.note(1);
  now = '2026-01-01T00:00:04.000Z';
  late.note(1);
  await late.onApplicationShutdown();
  await early.onApplicationShutdown();
  expect(await lastUses(store, [1])).toEqual(['2026-01-01T00:00:04.000Z']);
});

it('keeps what could not be written for the next time', async () => {
  let away = true;
  const use = gateway({
    ...store,
    rows: (collection) => {
      if (away) throw new Error('away');
      return store.rows(collection);
    },
  });
  now = '2026-01-01T00:00:00.000Z';
  use.note(1);
  await use.write();
  expect(reports).toEqual(['The use of access tokens could not be written']);
  away = false;
  await use.onApplicationShutdown();
  expect(await lastUses(store, [1])).toEqual([now]);
});
