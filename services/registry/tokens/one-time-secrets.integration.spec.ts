import { join } from 'node:path';
import { credentialHash } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { DomainError, UnavailableError } from '@sluice/kernel';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { createVault, masterKeyFrom, type Vault } from '@sluice/vault';
import { OneTimeSecrets } from './one-time-secrets';

const HOUR = 3_600_000;
const named = { actor: 'owner:1', commandId: 'c', bodyHash: 'a' };
let folder: string;
let state: DocumentStore;
let vault: Vault;
let ahead: number;
let secrets: OneTimeSecrets;

beforeEach(async () => {
  folder = temporaryDirectory();
  state = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  vault = createVault({ state, masterKeys: { current: masterKeyFrom('0'.repeat(64)), previous: undefined } });
  ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead), monotonic: () => 0 };
  secrets = new OneTimeSecrets(vault, clock, recordingLogger());
});

afterEach(() => state.close());

const seals = () => vault.ids({ prefix: 'shown-', after: '', limit: 500 });
const issue = (append: (secret: { hash: string; sealId: string | null }) => Promise<{ repeated: boolean }>) =>
  secrets.issue('svc_pat_', named, append);

it('keeps the secret of a command that can be repeated, for a day', async () => {
  let given: { hash: string; sealId: string | null } | undefined;
  const { plaintext } = await issue((secret) => Promise.resolve(((given = { ...secret }), { repeated: false })));
  expect(given!.hash).toBe(credentialHash(plaintext));
  expect(await secrets.plaintext(given!.sealId)).toBe(plaintext);
  ahead = 24 * HOUR - 60_000;
  expect(await secrets.sweep()).toBe(0);
  ahead = 24 * HOUR;
  expect(await secrets.sweep()).toBe(1);
  await expect(secrets.plaintext(given!.sealId)).rejects.toMatchObject({ code: 'PLAINTEXT_UNAVAILABLE' });
});

it('sweeps more than a page, and nothing else', async () => {
  for (let count = 0; count < 120; count += 1) await issue(() => Promise.resolve({ repeated: false }));
  await vault.seal('apiKey-1', Buffer.from('x'));
  ahead = 25 * HOUR;
  expect(await secrets.sweep()).toBe(120);
  expect(await vault.open('apiKey-1')).toBeDefined();
});

it.each([
  ['a repeat', () => Promise.resolve({ repeated: true }), 0],
  ['a refusal', () => Promise.reject(new DomainError('TOKEN_REVOKED', 'Revoked.')), 0],
  ['an unknown outcome', () => Promise.reject(new UnavailableError('Away.')), 1],
])('of %s leaves as many seals as an event may name', async (_, append, left) => {
  await issue(append).catch(() => undefined);
  expect(await seals()).toHaveLength(left);
});
