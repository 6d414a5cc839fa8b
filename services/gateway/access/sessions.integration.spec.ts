import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { createVault, masterKeyFrom } from '@sluice/vault';
import { gatewaySettings } from '../config/gateway.settings';
import { AccessState } from './access-state';
import { Sessions, sessions as sessionRows } from './sessions';

const HOUR = 3_600_000;
let folder: string;
let store: DocumentStore;
let now: number;
let opened: Sessions[];
const state = new AccessState();
const metadata = { commandId: '', actor: '', correlationId: '', causationId: '', at: '2026-01-01T00:00:00.000Z' };
state.apply({ type: 'OwnerCreated', data: { id: 1, name: 'operator', hash: 'a' }, metadata });
const owner = state.ownerById(1)!;

/** As a gateway process has it. */
function gateway(publicUrl = 'http://localhost:8080'): Sessions {
  const vault = createVault({
    state: store,
    masterKeys: { current: masterKeyFrom('0'.repeat(64)), previous: undefined },
  });
  const clock = { now: () => new Date(now), monotonic: () => now };
  const settings = readSettings({ SESSION_IDLE_SECONDS: '7200', SESSION_MAX_SECONDS: '18000' }, gatewaySettings);
  const sessions = new Sessions(store, vault, clock, settings, () => publicUrl, recordingLogger());
  opened.push(sessions);
  return sessions;
}

const vaultAt = () =>
  createVault({ state: store, masterKeys: { current: masterKeyFrom('0'.repeat(64)) }, now: () => now });

const ended = expect.objectContaining({ code: 'SESSION_ENDED' }) as Error;

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  now = Date.parse('2026-01-01T00:00:00Z');
  opened = [];
});

afterEach(async () => {
  for (const sessions of opened) await sessions.stop();
  await store.close();
});

it('is one of at most a hundred of its owner: the first to end makes room', async () => {
  const sessions = gateway();
  const first = await sessions.begin(owner);
  await sessions.begin({ ...owner, id: 2 });
  for (let more = 0; more < 100; more += 1) {
    now += 1_000;
    await sessions.begin(owner);
  }
  await expect(sessions.find(first.secret, state)).rejects.toThrow(ended);
  expect(await store.rows(sessionRows).count({ ownerId: 1 })).toBe(100);
  expect(await store.rows(sessionRows).count({ ownerId: 2 })).toBe(1);
});

it('continues while it is used, up to its age, on every gateway', async () => {
  const { secret, session } = await gateway().begin(owner);
  expect(session.endsAt).toBe(now + 2 * HOUR);
  for (let hours = 1; hours <= 4; hours += 1) {
    now += HOUR;
    expect(await gateway().find(secret, state)).toMatchObject({ owner, session: { id: session.id } });
  }
  now += HOUR - 1;
  expect((await gateway().find(secret, state)).session.endsAt).toBe(now + 1);
  now += 1;
  await expect(gateway().find(secret, state)).rejects.toEqual(ended);
});

it('ends when it was not used for so long, and when it is ended', async () => {
  const [idle, out] = [await gateway().begin(owner), await gateway().begin(owner)];
  await gateway().end(out.session);
  await expect(gateway().find(out.secret, state)).rejects.toEqual(ended);
  now += 2 * HOUR - 1;
  const other = await gateway().begin(owner);
  now += 1;
  await expect(gateway().find(idle.secret, state)).rejects.toEqual(ended);
  await gateway().find(other.secret, state);
});

it('is not used by a check whether it continues', async () => {
  const { session } = await gateway().begin(owner);
  now += 2 * HOUR - 1;
  expect(await gateway().goesOn(session)).toBe(true);
  now += 1;
  expect(await gateway().goesOn(session)).toBe(false);
  const { session: other } = await gateway().begin(owner);
  await gateway().end(other);
  expect(await gateway().goesOn(other)).toBe(false);
});

it('ends with the key that it was begun with', async () => {
  const rotated = new AccessState();
  rotated.apply({ type: 'OwnerCreated', data: { id: 1, name: 'operator', hash: 'b' }, metadata });
  const { secret } = await gateway().begin(owner);
  await expect(gateway().find(secret, rotated)).rejects.toEqual(ended);
  await expect(gateway().find(secret, new AccessState())).rejects.toEqual(ended);
});

it('is Secure where browsers see the server by https, and taken under the name that only https may set', () => {
  const [plain, secure] = [gateway(), gateway('https://updates.example.com/sluice')];
  expect(plain.cookies('x').join()).not.toContain('Secure');
  for (const cookie of secure.cookies('x')) expect(cookie).toMatch(/^__Secure-sluice_session=x; .*; Secure$/);
  const sent = (cookie: string) => ({ headers: { cookie } });
  expect(secure.secretOf(sent('a=b; __Secure-sluice_session=x'))).toBe('x');
  expect(secure.secretOf(sent('sluice_session=planted'))).toBeUndefined();
  expect(plain.secretOf(sent('sluice_session=x'))).toBe('x');
});

describe('after a rotation of the data key', () => {
  it('continues, as do those that are begun with the new version, on every gateway', async () => {
    const first = gateway();
    const before = await first.begin(owner);
    await vaultAt().rotateDataKeys(['sessions']);
    const second = gateway();
    const after = await second.begin(owner);
    expect([before.secret, after.secret]).toEqual([
      expect.stringMatching(/^svc_ses_[0-9a-f]{64}$/),
      expect.stringMatching(/^svc_ses_[0-9a-f]{64}_2$/),
    ]);
    for (const one of [first, second, gateway()]) {
      for (const { secret, session } of [before, after]) {
        expect(await one.find(secret, state)).toMatchObject({ owner, session: { id: session.id } });
      }
    }
    for (const altered of [
      after.secret.slice(0, -2),
      `${before.secret}_2`,
      `${before.secret}_3`,
      `${before.secret}_1`,
    ]) {
      await expect(second.find(altered, state)).rejects.toEqual(ended);
    }
  });

  it('ends when its version of the key is dropped', async () => {
    const { secret } = await gateway().begin(owner);
    await vaultAt().rotateDataKeys(['sessions']);
    await vaultAt().dropDataKeys('sessions', now);
    await expect(gateway().find(secret, state)).rejects.toEqual(ended);
  });

  it('ends with all others when all are ended', async () => {
    const secrets = [(await gateway().begin(owner)).secret, (await gateway().begin(owner)).secret];
    expect(await gateway().endAll()).toBe(2);
    for (const secret of secrets) await expect(gateway().find(secret, state)).rejects.toEqual(ended);
  });
});
