import { join } from 'node:path';
import { DocumentStoreUnavailableError, type DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { CheckCounts, checkCounts } from './check-counts';
import { readOffered } from './offered-devices';

let folder: string;
let store: DocumentStore;
let away = false;
const logger = recordingLogger();
const clock = { time: Date.parse('2026-03-01T23:59:00Z'), now: () => new Date(clock.time), monotonic: () => 0 };

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
});
afterEach(() => store.close());

function counting(): CheckCounts {
  const state: DocumentStore = {
    ...store,
    rows: (collection) => {
      const rows = store.rows(collection);
      const add: typeof rows.add = (given, members) =>
        away ? Promise.reject(new DocumentStoreUnavailableError('away')) : rows.add(given, members);
      return { ...rows, add };
    },
  };
  return new CheckCounts({ state, clock, logger, key: Buffer.alloc(32, 9) });
}
const written = async () =>
  (await store.rows(checkCounts).find()).map(({ appId, day, metric, count }) => `${appId} ${day} ${metric} ${count}`);

it('adds up the checks of channels, of every process and day', async () => {
  const [one, other] = [counting(), counting()];
  one.note(1, 'production', 7, 'phone');
  one.note(1, 'production', undefined, 'phone');
  one.note(1, 'staging', undefined, 'phone');
  other.note(1, 'production', 7, 'phone');
  other.note(2, 'production', 9, 'phone');
  await Promise.all([one.write(), other.write()]);
  one.note(1, 'production', 8, 'phone');
  clock.time += 120_000;
  await one.stop();
  await other.stop();
  expect(await written()).toEqual([
    '1 2026-03-01 channel/production/checks 3',
    '1 2026-03-01 channel/staging/checks 1',
    '1 2026-03-02 channel/production/checks 1',
    '2 2026-03-01 channel/production/checks 1',
  ]);
});

it('keeps what could not be written for the next time', async () => {
  const counts = counting();
  counts.note(1, 'production', 7, 'phone');
  away = true;
  await counts.write();
  counts.note(1, 'production', 7, 'tablet');
  await counts.write();
  expect(logger.messages).toHaveLength(1);
  away = false;
  await counts.write();
  await counts.write();
  await counts.stop();
  expect((await written()).map((line) => line.split(' ').slice(2).join(' '))).toEqual(['channel/production/checks 2']);
  expect((await readOffered(store, 1, [7])).get(7)?.devices).toBe(2);
});

it('counts the device of an offer, unless its client sends no id of its own', async () => {
  const counts = counting();
  counts.note(1, 'production', 7, undefined);
  counts.note(1, 'production', 8, 'phone');
  counts.note(1, 'production', undefined, 'tablet');
  await counts.stop();
  expect([...(await readOffered(store, 1, [7, 8, 9]))]).toEqual([
    [8, { devices: 1, days: new Map([[clock.now().toISOString().slice(0, 10), 1]]) }],
  ]);
});
