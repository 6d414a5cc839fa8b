import { join } from 'node:path';
import type { ApiKeyUse } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { recordingUses } from '../../../test/support/key-services';
import { KeyUsage } from './key-usage';

let folder: string;
let store: DocumentStore;
let now: number;
/** What was stored, call by call. */
let calls: ApiKeyUse[][];
let record: (uses: ApiKeyUse[]) => Promise<readonly number[]>;
let usage: KeyUsage;
const logger = recordingLogger();

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const time = (second: number) => at(second).toISOString();
const setTime = (second: number) => (now = at(second).getTime());
const idsOf = (uses: readonly ApiKeyUse[]) => uses.map(({ id }) => id);

const processOf = () =>
  new KeyUsage({
    ...{ state: store, messaging: recordingUses((uses) => record(uses)) },
    ...{ logger, now: () => now },
  });

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  calls = [];
  record = (uses) => {
    calls.push(uses);
    return Promise.resolve(idsOf(uses));
  };
  logger.lines.length = 0;
  setTime(0);
  usage = processOf();
});

afterEach(async () => {
  await usage.stop();
  await store.close();
});

it('sends the last use, and of refusals their number, the last time and its reason', async () => {
  usage.used(1);
  usage.blocked(1, 'no_identity');
  setTime(3);
  usage.used(1);
  usage.blocked(1, 'origin_not_allowed');
  setTime(4);
  usage.used(2);
  await usage.write();
  expect(calls).toEqual([
    [
      { id: 1, usedAt: time(3), blocked: 2, blockedAt: time(3), blockedReason: 'origin_not_allowed' },
      { id: 2, usedAt: time(4), blocked: 0, blockedAt: null, blockedReason: null },
    ],
  ]);
  await usage.write();
  expect(calls).toHaveLength(1);
});

it('sends no time of use for a key that only rejected callers', async () => {
  usage.blocked(1, 'no_identity');
  await usage.write();
  expect(calls).toEqual([[{ id: 1, usedAt: null, blocked: 1, blockedAt: time(0), blockedReason: 'no_identity' }]]);
});

it('sends the keys in batches', async () => {
  for (let keyId = 1; keyId <= 120; keyId += 1) usage.used(keyId);
  await usage.write();
  expect(calls.map(({ length }) => length)).toEqual([50, 50, 20]);
});

it('counts what comes while it sends', async () => {
  usage.blocked(1, 'no_identity');
  const stored = record;
  record = (uses) => {
    if (calls.length === 0) usage.blocked(1, 'no_identity');
    return stored(uses);
  };
  const writing = usage.write();
  await writing;
  await usage.stop();
  expect(calls.flat().map(({ blocked }) => blocked)).toEqual([1, 1]);
});

it('keeps what was not stored for the next time', async () => {
  const stored = record;
  record = async (uses) => (await stored(uses)).filter((id) => id !== 1);
  usage.blocked(1, 'no_identity');
  usage.blocked(2, 'no_identity');
  await usage.write();
  expect(logger.messages).toEqual(['The use of API keys could not be written']);
  record = () => Promise.reject(new Error('away'));
  usage.blocked(2, 'no_identity');
  await usage.write();
  expect(logger.messages).toHaveLength(2);
  record = stored;
  usage.blocked(1, 'origin_not_allowed');
  await usage.stop();
  expect(calls.at(-1)).toMatchObject([
    { id: 1, blocked: 2, blockedReason: 'origin_not_allowed' },
    { id: 2, blocked: 1 },
  ]);
});

it('leaves what can not be sent at its end to another process', async () => {
  const stored = record;
  record = () => Promise.reject(new Error('away'));
  usage.used(1);
  usage.blocked(1, 'no_identity');
  await usage.stop();
  record = stored;
  usage = processOf();
  setTime(5);
  usage.blocked(1, 'origin_not_allowed');
  await usage.write();
  expect(calls).toEqual([
    [{ id: 1, usedAt: time(0), blocked: 2, blockedAt: time(5), blockedReason: 'origin_not_allowed' }],
  ]);
});
