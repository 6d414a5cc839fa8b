import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { DATA_KEY_NAMES, type DataKeyName } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { temporaryDirectory, recordingLogger } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import { DataKeys } from './data-keys';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const DAY = 86_400_000;
const MINUTE = 60_000;

let folder: string;
let state: DocumentStore;
let now: number;

beforeEach(async () => {
  now = START;
  folder = temporaryDirectory();
  state = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
});
afterEach(() => state.close());

/** As a replica of keys has them. */
const replica = (more: Readonly<Record<string, string>> = {}): DataKeys =>
  new DataKeys(
    createVault({ state, masterKeys: { current: Buffer.alloc(32, 1) }, now: () => now }),
    readSettings({
      ...{ DOWNLOAD_URL_TTL_SECONDS: '1800', SESSION_MAX_SECONDS: '604800', REPORT_RETENTION_DAYS: '90' },
      ...more,
    }),
    { now: () => new Date(now), monotonic: () => now },
    recordingLogger(),
  );
const versions = async () =>
  Object.fromEntries((await replica().list()).map((key) => [key.name, key.versions.map(({ version }) => version)]));

it('lists the versions of each data key, and how long a former one is kept', async () => {
  expect((await replica().list()).map(({ name }) => name)).toEqual(DATA_KEY_NAMES);
  const rotated = await replica().rotate(['sessions', 'sessions']);
  expect(rotated).toEqual([
    {
      name: 'sessions',
      versions: [
        { version: 2, made_at: '2026-03-01T12:00:00.000Z' },
        { version: 1, made_at: null },
      ],
      former_kept_seconds: 605_400,
      consequence: expect.any(String) as string,
    },
  ]);
  expect(await versions()).toEqual({ 'download-url': [1], sessions: [2, 1], 'device-id': [1], 'oauth-verifiers': [1] });
});

it('rotates all when none is named', async () => {
  expect((await replica().rotate()).map(({ name }) => name)).toEqual(DATA_KEY_NAMES);
});

it.each<[DataKeyName, number]>([
  ['download-url', 40 * MINUTE],
  ['sessions', 7 * DAY + 10 * MINUTE],
  ['device-id', 92 * DAY + 10 * MINUTE],
  ['oauth-verifiers', 20 * MINUTE],
])('deletes a former version of %s once nothing needs it', async (name, keptMs) => {
  await replica().rotate();
  now = START + keptMs - 1;
  expect(await replica().sweep()).not.toContain(`${name}:1`);
  expect((await versions())[name]).toEqual([2, 1]);
  now = START + keptMs;
  expect(await replica().sweep()).toContain(`${name}:1`);
  expect(await replica().sweep()).toEqual([]);
  expect((await versions())[name]).toEqual([2]);
});

it('keeps a former version of device-id for as long as reports or states of devices are kept under it', async () => {
  const kept = async (more: Readonly<Record<string, string>>) =>
    (await replica(more).list(['device-id'])).map((key) => key.former_kept_seconds);
  expect(await kept({ DEVICE_STATE_DAYS: '30' })).toEqual([92 * 86_400 + 600]);
  expect(await kept({ DEVICE_STATE_DAYS: '91' })).toEqual([93 * 86_400 + 600]);
});

it('keeps the newest version, however old', async () => {
  await replica().rotate();
  now += 10_000 * DAY;
  await Promise.all([replica().sweep(), replica().sweep()]);
  expect(await versions()).toEqual({ 'download-url': [2], sessions: [2], 'device-id': [2], 'oauth-verifiers': [2] });
});
