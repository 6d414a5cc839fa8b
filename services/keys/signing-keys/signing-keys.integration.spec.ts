import { execFile } from 'node:child_process';
import { createHash, createPublicKey, randomBytes, randomUUID, webcrypto, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSettings } from '@sluice/config';
import {
  type Call,
  createApiKey,
  createSigningKey,
  getSigningCertificate,
  getSigningKey,
  keysHistory,
  listSigningKeys,
  type ReplyOf,
  type RequestOf,
  retireSigningKey,
  rotateSigningKey,
  signDigest,
} from '@sluice/contracts';
import { convertCertificatePEMToCertificate, validateSelfSignedCertificate } from '@expo/code-signing-certificates';
import { type Engines, openEngines } from '@sluice/engines';
import { type RunningService } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import { newCommandId } from '@sluice/kernel';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { SIGNING_KEY_SEALS, signingKeyStream } from './domain/signing-key';
import { keys } from '../keys.service';

jest.setTimeout(60_000);

const bytes = randomBytes(10_000);
const digest = createHash('sha256').update(bytes).digest('hex');

let folder: string;
let engines: Engines;
let service: RunningService;

beforeEach(async () => {
  folder = temporaryDirectory();
  engines = await openEngines(readSettings({ DATA_DIR: folder }), 'test');
  service = await startService(keys, engines, () => 'http://localhost', createLogger('silent'));
});

afterEach(async () => {
  await service.stop();
  await engines.close();
});

const ask = <C extends Call>(call: C, body: RequestOf<C>, commandId = newCommandId()) =>
  engines.messaging.request(call, body, { actor: 'token:1', commandId }) as Promise<ReplyOf<C>>;
const refusal = (code: string) => expect.objectContaining({ code }) as Error;
const seals = () => engines.vault.ids({ prefix: SIGNING_KEY_SEALS, after: '', limit: 10 });
const signed = async () => Buffer.from((await ask(signDigest, { appId: 1, digest })).signature!, 'base64');

async function opensslVerifies(publicKey: string, signature: Buffer): Promise<boolean> {
  const path = (name: string) => join(folder, name);
  await Promise.all([
    writeFile(path('key.pem'), publicKey),
    writeFile(path('bundle'), bytes),
    writeFile(path('signature'), signature),
  ]);
  const args = ['dgst', '-sha256', '-verify', path('key.pem'), '-signature', path('signature'), path('bundle')];
  return promisify(execFile)('openssl', args).then(
    ({ stdout }) => stdout.includes('Verified OK'),
    () => false,
  );
}

async function pssVerifies(publicKey: string, signature: Buffer): Promise<boolean> {
  const spki = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
  return webcrypto.subtle.verify({ name: 'RSA-PSS', saltLength: 32 }, key, signature, bytes);
}

it('makes a key of 3072 bits whose private half is in the vault alone, and shows it', async () => {
  expect(await ask(getSigningKey, { appId: 1 })).toEqual({ configured: false });
  const key = await ask(createSigningKey, { appId: 1 });
  const publicKey = createPublicKey(key.public_key);
  expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(3072);
  expect(key).toEqual({
    configured: true,
    id: 1,
    name: 'default',
    scheme: 'pkcs1v15',
    public_key: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
    fingerprint: createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex'),
    status: 'active',
    created_at: expect.any(String),
    rotated_at: null,
    former_keys: [],
  });
  expect(await ask(getSigningKey, { appId: 1 })).toEqual(key);
  const [sealId] = await seals();
  const secret = (await engines.vault.open(sealId!))!;
  let events = '';
  for await (const event of engines.events.readAll()) events += JSON.stringify(event);
  expect(events).toContain(key.fingerprint);
  expect(events).not.toContain(secret.subarray(100, 160).toString('base64').slice(4, 60));
});

it('signs from the digest what openssl verifies', async () => {
  expect(await ask(signDigest, { appId: 1, digest })).toEqual({ signature: null, signatures: [] });
  const { public_key } = await ask(createSigningKey, { appId: 1, size: 2048 });
  const signature = await signed();
  expect(await opensslVerifies(public_key, signature)).toBe(true);
  expect(await opensslVerifies(public_key, Buffer.from(signature).fill(1, 0, 1))).toBe(false);
});

it.each([2048, 3072] as const)(
  'signs by PSS, %s bits, what WebCrypto verifies with a salt of 32 bytes',
  async (size) => {
    const { public_key } = await ask(createSigningKey, { appId: 1, scheme: 'pss', size });
    const signature = await signed();
    expect(await pssVerifies(public_key, signature)).toBe(true);
    expect(await pssVerifies(public_key, Buffer.from(signature).fill(1, 10, 12))).toBe(false);
  },
);

it('signs by the former key and the new one after a rotation, and by the new one alone once the former is retired', async () => {
  await expect(ask(rotateSigningKey, { appId: 1, size: 2048 })).rejects.toEqual(refusal('NO_ACTIVE_SIGNING_KEY'));
  const first = await ask(createSigningKey, { appId: 1, name: 'one', scheme: 'pss', size: 2048 });
  const second = await ask(rotateSigningKey, { appId: 1, scheme: 'pkcs1v15', size: 2048 });
  const both = await ask(signDigest, { appId: 1, digest });
  expect(both.signatures.map(({ key_id }) => key_id)).toEqual([first.id, second.id]);
  const [former, active] = both.signatures.map(({ signature }) => Buffer.from(signature, 'base64'));
  expect(both.signature).toBe(both.signatures[0]?.signature);
  expect(await pssVerifies(first.public_key, former!)).toBe(true);
  expect(await opensslVerifies(second.public_key, active!)).toBe(true);
  expect(await seals()).toHaveLength(2);

  await ask(retireSigningKey, { appId: 1, id: first.id });
  const one = await ask(signDigest, { appId: 1, digest });
  expect(one.signatures).toEqual([{ key_id: second.id, signature: one.signature }]);
  expect(await opensslVerifies(second.public_key, await signed())).toBe(true);
  expect(await seals()).toHaveLength(1);
});

it('keeps name and scheme at a rotation unless they are given, and shows which keys still sign', async () => {
  const first = await ask(createSigningKey, { appId: 1, name: 'one', scheme: 'pss', size: 2048 });
  const second = await ask(rotateSigningKey, { appId: 1, size: 2048 });
  expect(second).toMatchObject({ id: expect.any(Number), name: 'one', scheme: 'pss', rotated_at: expect.any(String) });
  expect(second.id).not.toBe(first.id);
  const third = await ask(rotateSigningKey, { appId: 1, name: 'three', scheme: 'pkcs1v15', size: 2048 });
  const former = [first, second].map(({ id, fingerprint }) => ({ id, fingerprint }));
  expect(third).toMatchObject({ name: 'three', scheme: 'pkcs1v15', former_keys: former });
  expect(await ask(getSigningKey, { appId: 1 })).toEqual(third);
});

it('lists every key, newest first, with when it was superseded and retired', async () => {
  const first = await ask(createSigningKey, { appId: 1, size: 2048 });
  const second = await ask(rotateSigningKey, { appId: 1, size: 2048 });
  const third = await ask(rotateSigningKey, { appId: 1, size: 2048 });
  const answer = await ask(retireSigningKey, { appId: 1, id: second.id });
  const { items, total } = await ask(listSigningKeys, { appId: 1, page: 1, perPage: 20 });
  const listed = ({ id, name, scheme, public_key, fingerprint, created_at }: typeof first) => ({
    ...{ id, name, scheme, public_key, fingerprint, created_at },
  });
  expect(items).toEqual([
    { ...listed(third), status: 'active', superseded_at: null, retired_at: null },
    { ...listed(second), status: 'retired', superseded_at: third.created_at, retired_at: expect.any(String) },
    { ...listed(first), status: 'former', superseded_at: second.created_at, retired_at: null },
  ]);
  expect(total).toBe(3);
  expect(answer).toEqual(items[1]);
  expect(await ask(retireSigningKey, { appId: 1, id: second.id })).toEqual(answer);
});

it('reads the rotations of earlier releases, which retired the former key', async () => {
  const first = await ask(createSigningKey, { appId: 1, size: 2048 });
  for await (const { data, metadata } of engines.events.readStream(signingKeyStream(1), { limit: 1 })) {
    const facts = { ...data, id: 77, formerId: first.id, formerSealId: data['sealId']! };
    const rotated = { id: randomUUID(), type: 'SigningKeyRotated', data: facts, metadata };
    await engines.events.append(signingKeyStream(1), 0, [rotated]);
  }
  expect((await ask(signDigest, { appId: 1, digest })).signatures.map(({ key_id }) => key_id)).toEqual([77]);
  const retired = {
    id: first.id,
    status: 'retired',
    superseded_at: expect.any(String),
    retired_at: expect.any(String),
  };
  expect(await ask(retireSigningKey, { appId: 1, id: first.id })).toMatchObject(retired);
  await expect(ask(retireSigningKey, { appId: 1, id: 77 })).rejects.toEqual(refusal('SIGNING_KEY_ACTIVE'));
});

it('rejects a second key and leaves nothing of it; a repeat is answered with the first', async () => {
  const commandId = newCommandId();
  const key = await ask(createSigningKey, { appId: 1, size: 2048 }, commandId);
  await expect(ask(createSigningKey, { appId: 1, size: 2048 })).rejects.toEqual(refusal('SIGNING_KEY_EXISTS'));
  expect(await ask(createSigningKey, { appId: 1, size: 2048 }, commandId)).toEqual(key);
  await ask(rotateSigningKey, { appId: 1, size: 2048 });
  expect(await ask(createSigningKey, { appId: 1, size: 2048 }, commandId)).toEqual({ ...key, status: 'former' });
  await ask(retireSigningKey, { appId: 1, id: key.id });
  expect(await ask(createSigningKey, { appId: 1, size: 2048 }, commandId)).toEqual({ ...key, status: 'retired' });
  expect(await seals()).toHaveLength(1);
});

it('makes one pair for parallel creations', async () => {
  const made = await Promise.allSettled(
    Array.from({ length: 5 }, () => ask(createSigningKey, { appId: 1, size: 2048 })),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of made) if (one.status === 'rejected') expect(one.reason).toEqual(refusal('SIGNING_KEY_EXISTS'));
  // A pair that was thrown away would have drawn an id.
  expect((await ask(rotateSigningKey, { appId: 1, size: 2048 })).id).toBe(2);
});

it('rejects keys beyond those that wait already, and makes none of them', async () => {
  const apps = Array.from({ length: 30 }, (_, index) => index + 1);
  const made = await Promise.allSettled(apps.map((appId) => ask(createSigningKey, { appId, size: 2048 })));
  const rejected = apps.filter((_, index) => made[index]?.status === 'rejected');
  expect(rejected.length).toBeGreaterThan(0);
  expect(made.length - rejected.length).toBeGreaterThanOrEqual(8);
  for (const one of made) if (one.status === 'rejected') expect(one.reason).toEqual(refusal('SERVICE_UNAVAILABLE'));
  for (const appId of rejected) expect(await ask(getSigningKey, { appId })).toEqual({ configured: false });
  expect(await ask(createSigningKey, { appId: rejected[0]!, size: 2048 })).toMatchObject({ configured: true });
});

it('records every key in the history, also retired public keys and their fingerprints, in order with the API keys', async () => {
  const first = await ask(createSigningKey, { appId: 1, size: 2048 });
  await ask(createApiKey, { appId: 1, name: 'installs' });
  const second = await ask(rotateSigningKey, { appId: 1, size: 2048, scheme: 'pss' });
  const { positions, total } = await ask(keysHistory.positions, { appId: 1, newest: 2 });
  expect(total).toBe(3);
  const [last, middle] = positions as [string, string];
  const told = async (first: string) => {
    const entries = await ask(keysHistory.entries, { appId: 1, first, last });
    return entries.map(({ entry: { type, key_id, before, after } }) => ({ type, key_id, before, after }));
  };
  const changing = ({ id, scheme, fingerprint, public_key, former_keys }: typeof first) => ({
    ...{ id, scheme, fingerprint, public_key, former_keys },
  });
  const made = { type: 'ApiKeyCreated', key_id: 1, before: null, after: expect.objectContaining({ name: 'installs' }) };
  const rotated = { type: 'SigningKeyRolledOver', key_id: null, before: changing(first), after: changing(second) };
  expect(await told(middle)).toEqual([made, rotated]);
  expect(await told('')).toEqual([
    { type: 'SigningKeyCreated', key_id: null, before: null, after: { name: 'default', ...changing(first) } },
    made,
    rotated,
  ]);
  await ask(retireSigningKey, { appId: 1, id: first.id });
  const { positions: newest } = await ask(keysHistory.positions, { appId: 1, newest: 1 });
  const [entry] = await ask(keysHistory.entries, { appId: 1, first: newest[0]!, last: newest[0]! });
  const retired = { before: { former_keys: second.former_keys }, after: { former_keys: [] } };
  expect(entry).toMatchObject({ entry: { type: 'FormerSigningKeyRetired', ...retired } });
});

it('makes no pair and draws no id for what is refused', async () => {
  await expect(ask(rotateSigningKey, { appId: 1 })).rejects.toEqual(refusal('NO_ACTIVE_SIGNING_KEY'));
  expect((await ask(createSigningKey, { appId: 1 })).id).toBe(1);
  await expect(ask(createSigningKey, { appId: 1 })).rejects.toEqual(refusal('SIGNING_KEY_EXISTS'));
  expect((await ask(rotateSigningKey, { appId: 1 })).id).toBe(2);
});

it('makes a certificate that the library of Expo accepts, the same at every request, and of no retired key', async () => {
  await ask(createSigningKey, { appId: 1, scheme: 'pss' });
  const made = await ask(getSigningCertificate, { appId: 1, id: 1 });
  expect(await ask(getSigningCertificate, { appId: 1, id: 1 })).toEqual(made);
  const { created_at, public_key } = (await ask(getSigningKey, { appId: 1 })) as {
    created_at: string;
    public_key: string;
  };
  const validFrom = Math.floor(Date.parse(created_at) / 1000) * 1000;
  const certificate = new X509Certificate(made.certificate);
  expect(made).toMatchObject({ keyid: '1', alg: 'rsa-v1_5-sha256', valid_from: new Date(validFrom).toISOString() });
  expect([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]).toEqual([
    validFrom,
    Date.parse(made.valid_until),
  ]);
  expect(certificate.publicKey.export({ type: 'spki', format: 'pem' })).toBe(public_key);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  // The private key does not leave the server: the check of the pair gets the public key for both.
  const { publicKey } = convertCertificatePEMToCertificate(made.certificate);
  const pair = { publicKey, privateKey: publicKey } as unknown as Parameters<typeof validateSelfSignedCertificate>[1];
  expect(() => validateSelfSignedCertificate(convertCertificatePEMToCertificate(made.certificate), pair)).not.toThrow();

  await ask(rotateSigningKey, { appId: 1 });
  expect(await ask(getSigningCertificate, { appId: 1, id: 2 })).toMatchObject({ keyid: '2' });
  await ask(retireSigningKey, { appId: 1, id: 1 });
  await expect(ask(getSigningCertificate, { appId: 1, id: 1 })).rejects.toEqual(refusal('KEY_NOT_FOUND'));
});
