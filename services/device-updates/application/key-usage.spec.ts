import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeyUsage } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { KeyUsage } from './key-usage';

let folder: string;
let store: DocumentStore;
let now: number;
const reports: string[] = [];
const usages: KeyUsage[] = [];

const processOf = (state = store) => {
  const usage = new KeyUsage({ state, report: (message) => reports.push(message), now: () => now });
  usages.push(usage);
  return usage;
};
const row = (keyId: number) => store.rows(apiKeyUsage).get(String(keyId));
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const time = (second: number) => at(second).toISOString();
const setTime = (second: number) => (now = at(second).getTime());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-key-usage-'));
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  reports.length = 0;
  setTime(0);
});

afterEach(async () => {
  await Promise.all(usages.splice(0).map((usage) => usage.stop()));
  await store.close();
  await rm(folder, { recursive: true });
});

it('writes the last use, and of refusals their number, the last time and its reason', async () => {
  const usage = processOf();
  usage.used(1);
  usage.blocked(1, 'no_identity');
  setTime(3);
  usage.used(1);
  usage.blocked(1, 'origin_not_allowed');
  setTime(4);
  usage.used(2);
  await usage.write();
  expect(await row(1)).toEqual({
    ...{ id: '1', blockedCount: 2, lastBlockedAt: time(3) },
    ...{ lastBlockedReason: 'origin_not_allowed', lastUsedAt: time(3) },
  });
  expect(await row(2)).toEqual({
    ...{ id: '2', blockedCount: 0, lastBlockedAt: null, lastBlockedReason: null, lastUsedAt: time(4) },
  });
  expect(await row(3)).toBeUndefined();
});

it('adds up what several processes count, whoever writes when, and takes back no later time', async () => {
  const processes = [processOf(), processOf(), processOf()];
  for (let round = 1; round <= 20; round += 1) {
    for (const [index, usage] of processes.entries()) {
      setTime(60 - round - index);
      for (let n = 0; n <= index; n += 1) usage.blocked(7, index === 0 ? 'no_identity' : 'ios_app_not_allowed');
      usage.used(7);
    }
    await Promise.all(processes.map((usage) => usage.write()));
  }
  expect(await row(7)).toEqual({
    ...{ id: '7', blockedCount: 20 * (1 + 2 + 3), lastBlockedAt: time(59) },
    ...{ lastBlockedReason: 'no_identity', lastUsedAt: time(59) },
  });
});

it('counts what comes while it writes', async () => {
  const usage = processOf();
  usage.blocked(1, 'no_identity');
  const writing = usage.write();
  await Promise.resolve();
  usage.blocked(1, 'no_identity');
  await writing;
  await usage.stop();
  expect(await row(1)).toMatchObject({ blockedCount: 2 });
});

it('keeps what could not be written for the next time, and writes what it can', async () => {
  let away = true;
  const rows = store.rows(apiKeyUsage);
  const usage = processOf({
    ...store,
    rows: () =>
      ({
        ...rows,
        getVersioned: (id: string) => (away && id === '1' ? Promise.reject(new Error('away')) : rows.getVersioned(id)),
      }) as never,
  });
  usage.blocked(1, 'no_identity');
  usage.blocked(2, 'no_identity');
  await usage.write();
  expect(reports).toEqual(['The use of API keys could not be written']);
  expect(await row(1)).toBeUndefined();
  expect(await row(2)).toMatchObject({ blockedCount: 1 });
  away = false;
  usage.blocked(1, 'origin_not_allowed');
  await usage.stop();
  expect([await row(1), await row(2)]).toMatchObject([{ blockedCount: 2 }, { blockedCount: 1 }]);
});
