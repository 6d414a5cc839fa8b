import { randomUUID } from 'node:crypto';
import { readSettings } from '@sluice/config';
import {
  type Call,
  type Caller,
  closeAppKeys,
  createApiKey,
  createChannelKey,
  deleteApiKey,
  deleteChannelKey,
  deprecateApiKey,
  credentialFault,
  credentialHash,
  credentialPreview,
  getApiKey,
  listApiKeys,
  listChannelKeys,
  prepareKeystore,
  type ReplyOf,
  type RequestOf,
  restrictApiKey,
  restrictChannelKey,
  revealApiKey,
  revealChannelKey,
  revokeApiKey,
  rotateApiKey,
  storeKeystore,
} from '@sluice/contracts';
import { DocumentStoreUnavailableError } from '@sluice/document-store';
import { type Engines, openEngines } from '@sluice/engines';
import { INSTALLATION_STREAM, type RunningService, TARGETING_FORMAT } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import { type EventStore, EventStoreUnavailableError } from '@sluice/event-store';
import { newCommandId, systemClock } from '@sluice/kernel';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import type { Vault } from '@sluice/vault';
import { apiKeyUsage } from './api-keys/api-key-usage';
import { keys } from './keys.service';

let dataDir: string;
let engines: Engines;
let service: RunningService;
let sealed: Set<string>;
/** The next append to an `apiKeys-` stream is written, and its answer lost. */
let loseAnswer: boolean;
let vaultIsAway: boolean;

/** The real vault, which also records the secrets that exist. */
const watched = (vault: Vault): Vault => ({
  ...vault,
  seal: (id, secret) => {
    if (vaultIsAway) return Promise.reject(new DocumentStoreUnavailableError('The vault is unavailable.'));
    sealed.add(id);
    return vault.seal(id, secret);
  },
  delete: (id) => {
    sealed.delete(id);
    return vault.delete(id);
  },
});

const lossy = (events: EventStore): EventStore => ({
  ...events,
  append: async (stream, expected, batch) => {
    const appended = await events.append(stream, expected, batch);
    if (!loseAnswer || !stream.startsWith('apiKeys-')) return appended;
    loseAnswer = false;
    throw new EventStoreUnavailableError('The answer is lost.', 'unknown');
  },
});

async function start(env: Record<string, string> = {}): Promise<void> {
  const opened = await openEngines(readSettings({ DATA_DIR: dataDir, ...env }), 'test');
  engines = { ...opened, events: lossy(opened.events), vault: watched(opened.vault) };
  service = await startService(keys, engines, () => 'http://localhost', createLogger('silent'));
}

async function stop(): Promise<void> {
  await service.stop();
  await engines.close();
}

beforeEach(async () => {
  dataDir = temporaryDirectory();
  sealed = new Set();
  loseAnswer = false;
  vaultIsAway = false;
  await start();
});

afterEach(() => stop());

const caller = (commandId = newCommandId()): Caller => ({ actor: 'token:1', commandId });
const refusal = (code: string) => expect.objectContaining({ code }) as Error;

const ask = <C extends Call>(call: C, body: RequestOf<C>, by = caller()) =>
  engines.messaging.request(call, body, by) as Promise<ReplyOf<C>>;

const newKey = (by = caller(), appId = 1) => ask(createApiKey, { appId, name: 'phone' }, by);
const list = (appId = 1) => ask(listApiKeys, { appId, page: 1, perPage: 20 });

async function stored(): Promise<string> {
  const events: string[] = [];
  for await (const event of engines.events.readAll()) events.push(JSON.stringify(event));
  return events.join('\n');
}

it('creates a key whose plaintext is only in its response and in the vault', async () => {
  const created = await newKey();
  expect(created).toEqual({ id: 1, name: 'phone', status: 'active', plaintext_key: expect.any(String) });
  expect(credentialFault('svc_app_', created.plaintext_key)).toBeUndefined();
  expect(await stored()).toContain(credentialHash(created.plaintext_key));
  expect(await stored()).not.toContain(created.plaintext_key);
  const [sealId] = sealed;
  expect((await engines.vault.open(sealId!))?.toString()).toBe(created.plaintext_key);
});

it('shows the safe view immediately, one by one and in the list', async () => {
  const { plaintext_key } = await newKey();
  const view = {
    id: 1,
    name: 'phone',
    key_preview: credentialPreview('svc_app_', plaintext_key),
    status: 'active',
    recoverable: true,
    restrictions: {},
    unrestricted: true,
    blocked_count: 0,
    last_blocked_at: null,
    last_blocked_reason: null,
    revision: 1,
    last_used_at: null,
    last_check: null,
    rotated_at: null,
    created_at: expect.any(String),
  };
  expect(await ask(getApiKey, { appId: 1, id: 1 })).toEqual(view);
  expect(await list()).toEqual({ items: [view], total: 1 });
});

describe('importing a key that clients have already', () => {
  const TEXT = 'Deployment-Key_1';
  const hash = credentialHash(TEXT);
  const importKey = (more: Partial<RequestOf<typeof createChannelKey>> = {}, by = caller()) =>
    ask(createChannelKey, { appId: 1, channel: 'production', name: 'CodePush', key: TEXT, ...more }, by);
  const ofChannel = (appId = 1, channel = 'production') =>
    ask(listChannelKeys, { appId, channel, page: 1, perPage: 20 });

  beforeEach(async () => {
    const metadata = {
      ...{ actor: 'system:test', at: new Date().toISOString() },
      ...{ commandId: 'c', correlationId: 'c', causationId: 'c' },
    };
    const data = { format: TARGETING_FORMAT };
    await engines.events.append(INSTALLATION_STREAM, 'none', [
      { id: randomUUID(), type: 'InstallationFormatRaised', data, metadata },
    ]);
  });

  it('keeps its text in the vault alone, and lists it under the channel', async () => {
    expect(await importKey({ platform: 'ios' })).toMatchObject({ id: 1, name: 'CodePush', plaintext_key: TEXT });
    expect(await stored()).toContain(hash);
    expect(await stored()).not.toContain(TEXT);
    expect(await ofChannel()).toMatchObject({ items: [{ id: 1, key_preview: 'Depl…_1', platform: 'ios' }], total: 1 });
    expect(await list()).toEqual({ items: [], total: 0 });
    expect(await ask(revealChannelKey, { appId: 1, channel: 'production', id: 1 })).toMatchObject({
      plaintext_key: TEXT,
    });
    expect(await ask(restrictChannelKey, { appId: 1, channel: 'production', id: 1, restrictions: {} })).toMatchObject({
      platform: 'ios',
    });
  });

  it('rejects a text that another key has, of whichever app, and leaves no seal', async () => {
    await importKey();
    for (const more of [{}, { channel: 'staging' }, { appId: 2 }, { appId: 2, channel: 'pr-1.1' }]) {
      await expect(importKey(more)).rejects.toEqual(refusal('KEY_TAKEN'));
    }
    expect(sealed.size).toBe(1);
    expect(await importKey({ key: `${TEXT}2` })).toMatchObject({ plaintext_key: `${TEXT}2` });
  });

  it('lets one of two simultaneous requests have the text', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((appId) => importKey({ appId })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const held = await Promise.all([1, 2, 3, 4].map(async (appId) => (await ofChannel(appId)).total));
    expect(held.sort()).toEqual([0, 0, 0, 1]);
  });

  it('answers a repeat, also of a request that was interrupted, with one key', async () => {
    const by = caller();
    loseAnswer = true;
    await importKey({}, by).catch(() => undefined);
    const first = await importKey({}, by);
    expect(await importKey({}, by)).toEqual(first);
    expect((await ofChannel()).total).toBe(1);
  });

  it('gives the text up when the key is deleted', async () => {
    const { id } = await importKey();
    await ask(deleteChannelKey, { appId: 1, channel: 'production', id });
    expect(await importKey({ appId: 2 })).toMatchObject({ plaintext_key: TEXT });
    await expect(importKey()).rejects.toEqual(refusal('KEY_TAKEN'));
  });

  it('gives the text up some time after the app is deleted', async () => {
    await importKey();
    await ask(closeAppKeys, { appId: 1 });
    await expect(importKey()).rejects.toEqual(refusal('APP_NOT_FOUND'));
    await expect(importKey({ appId: 2 })).rejects.toEqual(refusal('KEY_TAKEN'));
    const later = jest.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() + 61_000));
    expect(await importKey({ appId: 2 })).toMatchObject({ plaintext_key: TEXT });
    later.mockRestore();
    await expect(importKey({ appId: 3 })).rejects.toEqual(refusal('KEY_TAKEN'));
  });

  it('does not take the text for a key that the channel has no room for', async () => {
    for (const name of ['one', 'two', 'three']) await ask(createChannelKey, { appId: 1, channel: 'production', name });
    await expect(importKey()).rejects.toEqual(refusal('MAX_KEYS_REACHED'));
    expect(await importKey({ appId: 2 })).toMatchObject({ plaintext_key: TEXT });
  });
});

it('answers a repeated command with the same key and plaintext, and leaves no second seal', async () => {
  const by = caller();
  const first = await newKey(by);
  expect(await newKey(by)).toEqual(first);
  expect((await list()).total).toBe(1);
  expect(sealed.size).toBe(1);
});

it('answers a repeated command with status and secret as they stand now', async () => {
  const by = caller();
  const first = await newKey(by);
  await ask(deprecateApiKey, { appId: 1, id: first.id });
  const { plaintext_key } = await ask(rotateApiKey, { appId: 1, id: first.id });
  expect(await newKey(by)).toEqual({ ...first, plaintext_key, status: 'deprecated' });
  await ask(revokeApiKey, { appId: 1, id: first.id });
  await expect(newKey(by)).rejects.toEqual(refusal('PLAINTEXT_UNAVAILABLE'));
});

describe('rotating', () => {
  it('gives another plaintext, keeps id, name and status, and destroys the former plaintext', async () => {
    const first = await newKey();
    const [firstSeal] = sealed;
    const rotated = await ask(rotateApiKey, { appId: 1, id: 1 });
    expect(rotated).toEqual({ ...first, plaintext_key: expect.any(String) });
    expect(rotated.plaintext_key).not.toBe(first.plaintext_key);
    expect(sealed.size).toBe(1);
    expect(await engines.vault.open(firstSeal!)).toBeUndefined();
    expect(await stored()).toContain(credentialHash(rotated.plaintext_key));
    expect(await ask(getApiKey, { appId: 1, id: 1 })).toMatchObject({
      key_preview: credentialPreview('svc_app_', rotated.plaintext_key),
      rotated_at: expect.any(String),
    });
  });

  it('answers a repeat with the same secret, and leaves no second seal', async () => {
    await newKey();
    const by = caller();
    const rotated = await ask(rotateApiKey, { appId: 1, id: 1 }, by);
    expect(await ask(rotateApiKey, { appId: 1, id: 1 }, by)).toEqual(rotated);
    expect(sealed.size).toBe(1);
  });

  it('of an unknown or revoked key is refused, and leaves no seal', async () => {
    await newKey();
    await ask(revokeApiKey, { appId: 1, id: 1 });
    await expect(ask(rotateApiKey, { appId: 1, id: 1 })).rejects.toEqual(refusal('KEY_REVOKED'));
    await expect(ask(rotateApiKey, { appId: 2, id: 1 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
    expect(sealed.size).toBe(0);
  });
});

it('reveals the plaintext that counts now, and none of a revoked, deleted or unknown key', async () => {
  const reveal = (id: number) => ask(revealApiKey, { appId: 1, id });
  const first = await newKey();
  expect(await reveal(1)).toEqual({ id: 1, plaintext_key: first.plaintext_key });
  const { plaintext_key } = await ask(rotateApiKey, { appId: 1, id: 1 });
  expect(await reveal(1)).toEqual({ id: 1, plaintext_key });
  await ask(revokeApiKey, { appId: 1, id: 1 });
  await expect(reveal(1)).rejects.toEqual(refusal('KEY_REVOKED'));
  await ask(deleteApiKey, { appId: 1, id: 1 });
  await expect(reveal(1)).rejects.toEqual(refusal('KEY_NOT_FOUND'));
});

it('restricts and deprecates: answer and view agree, also of a revoked key', async () => {
  const restrictions = { origins: ['https://*.example.com'], android: [{ package_name: 'com.example' }] };
  await newKey();
  const before = await ask(getApiKey, { appId: 1, id: 1 });
  const restricted = { ...before, restrictions, unrestricted: false, revision: 2 };
  expect(await ask(restrictApiKey, { appId: 1, id: 1, restrictions })).toEqual(restricted);
  expect(await ask(getApiKey, { appId: 1, id: 1 })).toEqual(restricted);
  const deprecated = { ...restricted, status: 'deprecated', revision: 3 };
  expect(await ask(deprecateApiKey, { appId: 1, id: 1 })).toEqual(deprecated);
  expect(await ask(getApiKey, { appId: 1, id: 1 })).toEqual(deprecated);
  await ask(revokeApiKey, { appId: 1, id: 1 });
  const revoked = { ...before, status: 'revoked', recoverable: false, revision: 5 };
  expect(await ask(restrictApiKey, { appId: 1, id: 1, restrictions: {} })).toEqual(revoked);
  expect(await ask(deprecateApiKey, { appId: 1, id: 1 })).toEqual(revoked);
});

it('deletes permanently: no row and no seal remain, and a second deletion is rejected', async () => {
  await newKey();
  await newKey();
  expect(await ask(deleteApiKey, { appId: 1, id: 1 })).toEqual({ deleted: true, id: 1 });
  expect((await list()).items.map((key) => key.id)).toEqual([2]);
  expect(sealed.size).toBe(1);
  await expect(ask(getApiKey, { appId: 1, id: 1 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
  await expect(ask(deleteApiKey, { appId: 1, id: 1 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
});

it('after an append of unknown outcome, a repeat answers the key that was written, with its plaintext', async () => {
  const by = caller();
  loseAnswer = true;
  await expect(newKey(by)).rejects.toEqual(refusal('SERVICE_UNAVAILABLE'));
  const { id, plaintext_key } = await newKey(by);
  expect((await list()).items.map((key) => key.id)).toEqual([id]);
  expect(await stored()).toContain(credentialHash(plaintext_key));
  expect(sealed.size).toBe(1);
});

it('rejects a fourth active key, keeps no seal of it, and takes one again after a revocation', async () => {
  for (let count = 1; count <= 3; count += 1) await newKey();
  await expect(newKey()).rejects.toEqual(refusal('MAX_KEYS_REACHED'));
  expect(sealed.size).toBe(3);
  await ask(revokeApiKey, { appId: 1, id: 2 });
  await newKey();
  expect((await list()).items.map((key) => key.status)).toEqual(['active', 'revoked', 'active', 'active']);
});

it('of parallel creates, three succeed', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => newKey()));
  const refused = outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map((outcome) => outcome.reason as unknown);
  expect(refused).toEqual(Array.from({ length: 5 }, () => refusal('MAX_KEYS_REACHED')));
  expect(sealed.size).toBe(3);
});

it('revokes permanently: the response, the view and a second revocation agree', async () => {
  await newKey();
  await newKey();
  const before = await ask(getApiKey, { appId: 1, id: 2 });
  const revoked = { ...before, status: 'revoked', recoverable: false, revision: 2 };
  expect(await ask(revokeApiKey, { appId: 1, id: 2 })).toEqual(revoked);
  expect(await ask(revokeApiKey, { appId: 1, id: 2 })).toEqual(revoked);
  expect(await ask(getApiKey, { appId: 1, id: 2 })).toEqual(revoked);
});

it('knows a key by its own app alone', async () => {
  await newKey(caller(), 1);
  await newKey(caller(), 2);
  await expect(ask(getApiKey, { appId: 2, id: 1 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
  await expect(ask(revokeApiKey, { appId: 2, id: 1 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
  await expect(ask(getApiKey, { appId: 1, id: 99 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
  expect((await list(2)).items.map((key) => key.id)).toEqual([2]);
});

it('lists in numeric order, page by page', async () => {
  for (let appId = 1; appId <= 4; appId += 1) {
    for (let count = 0; count < 3; count += 1) await newKey(caller(), appId);
  }
  const { items, total } = await ask(listApiKeys, { appId: 4, page: 1, perPage: 2 });
  expect({ ids: items.map((key) => key.id), total }).toEqual({ ids: [10, 11], total: 3 });
});

it('merges what the state store knows of the use of a key', async () => {
  await newKey();
  await engines.stateStore.rows(apiKeyUsage).put({
    id: '1',
    blockedCount: 4,
    lastBlockedAt: '2026-01-02T03:04:05.000Z',
    lastBlockedReason: 'origin_not_allowed',
    lastUsedAt: '2026-01-01T00:00:00.000Z',
    lastCheck: { at: '2026-01-01T00:00:00.000Z', platform: 'ios', version: '1.0.0' },
  });
  const used = {
    blocked_count: 4,
    last_blocked_at: '2026-01-02T03:04:05.000Z',
    last_blocked_reason: 'origin_not_allowed',
    last_used_at: '2026-01-01T00:00:00.000Z',
    last_check: { at: '2026-01-01T00:00:00.000Z', platform: 'ios', version: '1.0.0' },
  };
  expect(await ask(getApiKey, { appId: 1, id: 1 })).toMatchObject(used);
  expect((await list()).items[0]).toMatchObject(used);
  expect(await ask(revokeApiKey, { appId: 1, id: 1 })).toMatchObject(used);
});

it('says that no keystore was stored when the key to it could not be kept', async () => {
  const { objectKey, dataKey } = await ask(prepareKeystore, { appId: 1 });
  const facts = { appId: 1, originalName: 'k.zip', size: 4, sha256: 'ab'.repeat(32), objectKey, dataKey };
  vaultIsAway = true;
  await expect(ask(storeKeystore, facts)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', done: 'no' });
});

describe('with API_KEY_RECOVERY=off', () => {
  beforeEach(async () => {
    await stop();
    await start({ API_KEY_RECOVERY: 'off' });
  });

  it('keeps no plaintext, says so, and can not answer a repeat with it', async () => {
    const by = caller();
    const { id } = await newKey(by);
    expect(sealed.size).toBe(0);
    expect((await ask(getApiKey, { appId: 1, id })).recoverable).toBe(false);
    await expect(newKey(by)).rejects.toEqual(refusal('PLAINTEXT_UNAVAILABLE'));
    await expect(ask(revealApiKey, { appId: 1, id })).rejects.toEqual(refusal('PLAINTEXT_UNAVAILABLE'));
    expect((await list()).total).toBe(1);
  });
});
