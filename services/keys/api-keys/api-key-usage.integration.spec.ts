import { join } from 'node:path';
import type { ApiKeyUse } from '@sluice/contracts';
import type { DocumentStore, StateStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { apiKeyUsage, recordUses } from './api-key-usage';

let folder: string;
let store: DocumentStore;

const record = (uses: ApiKeyUse[], state: StateStore = store) => recordUses(state, uses);
const row = (keyId: number) => store.rows(apiKeyUsage).get(String(keyId));
const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const used = (id: number, second: number): ApiKeyUse => ({
  ...{ id, usedAt: time(second), blocked: 0, blockedAt: null, blockedReason: null },
});

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
});

afterEach(() => store.close());

it('stores the last use, and of refusals their number, the last time and its reason', async () => {
  const blocked = { blocked: 2, blockedAt: time(3), blockedReason: 'origin_not_allowed' };
  expect(await record([{ ...used(1, 3), ...blocked }, used(2, 4)])).toEqual([1, 2]);
  expect(await row(1)).toEqual({
    ...{ id: '1', blockedCount: 2, lastBlockedAt: time(3) },
    ...{ lastBlockedReason: 'origin_not_allowed', lastUsedAt: time(3) },
  });
  expect(await row(2)).toEqual({
    ...{ id: '2', blockedCount: 0, lastBlockedAt: null, lastBlockedReason: null, lastUsedAt: time(4) },
  });
  expect(await row(3)).toBeUndefined();
});

it('adds up what several processes count, in any order of their writes, and never replaces a time by an earlier one', async () => {
  for (let round = 1; round <= 20; round += 1) {
    await Promise.all(
      ['no_identity', 'ios_app_not_allowed', 'ios_app_not_allowed'].map((blockedReason, index) => {
        const at = time(60 - round - index);
        return record([{ id: 7, usedAt: at, blocked: index + 1, blockedAt: at, blockedReason }]);
      }),
    );
  }
  expect(await row(7)).toEqual({
    ...{ id: '7', blockedCount: 20 * (1 + 2 + 3), lastBlockedAt: time(59) },
    ...{ lastBlockedReason: 'no_identity', lastUsedAt: time(59) },
  });
});

it('stores the last update check, whichever process reports it last', async () => {
  const check = (second: number, version: string | null): ApiKeyUse => ({
    ...used(3, second),
    check: { at: time(second), platform: 'android', version },
  });
  await record([check(5, '1.1.0')]);
  await record([check(4, null)]);
  await record([used(3, 6)]);
  const lastCheck = { at: time(5), platform: 'android', version: '1.1.0' };
  expect(await row(3)).toMatchObject({ lastUsedAt: time(6), lastCheck });
});

it('stores what it can, and names it', async () => {
  const rows = store.rows(apiKeyUsage);
  const update: typeof rows.update = (id, change) =>
    id === '1' ? Promise.reject(new Error('away')) : rows.update(id, change);
  const failing: StateStore = { ...store, rows: () => ({ ...rows, update }) as never };
  expect(await record([used(1, 1), used(2, 1)], failing)).toEqual([2]);
  await expect(record([used(1, 1)], failing)).rejects.toThrow('away');
  expect(await row(1)).toBeUndefined();
  expect(await row(2)).toMatchObject({ lastUsedAt: time(1) });
});
