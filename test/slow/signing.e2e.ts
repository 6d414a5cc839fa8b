import { createVerify } from 'node:crypto';
import type { CountedSigningKey } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

interface SigningKey {
  readonly id: number;
  readonly public_key: string;
}

let deployment: Deployment;
let token: string;

const api = () => management(deployment.gateways[0]!, token);
const command = async (...args: string[]) => {
  const { stdout, stderr } = await sluice([...args, '--json'], {
    SLUICE_SERVER: deployment.gateways[0]!,
    SLUICE_TOKEN: token,
    DATA_DIR: deployment.dataDir,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, string>;
};

const byOwner = async (method: string, path: string, body: object = {}) =>
  call(`${deployment.gateways[0]!}/api/dashboard/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  deployment = await standalone.deploy({ LIMIT_KEY_ACTIONS_PER_HOUR: '10' });
  token = '';
  token = (await command('token', 'create', '--name', 'ci', '--all-apps'))['token']!;
  await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
});

afterAll(() => deployment.destroy());

async function release(version: string, fields: Record<string, string> = {}) {
  const bundle = await zipOf({ 'index.html': version });
  const path = '/apps/com.example.shop/builds';
  const { body } = await api().upload(path, bundle, { version, channel: 'staging', ...fields });
  for (;;) {
    const job = await api().get<{ data: { status: string } }>(`/jobs/${body.data.job_id}`);
    if (job.body.data.status === 'completed') break;
    expect(job.body.data.status).not.toBe('failed');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const build = await api().get<{ data: { signature: string | null } }>(`${path}/${body.data.build.id}`);
  return { id: body.data.build.id, bundle, signature: build.body.data.signature };
}

it('signs what comes without a signature, and never replaces one; devices and promoted builds get it', async () => {
  expect((await release('1.0.0')).signature).toBeNull();
  expect(await command('signing-key', 'show', '--app', 'com.example.shop')).toEqual({ configured: false });
  const { public_key } = await command('signing-key', 'create', '--app', 'com.example.shop');
  const again = await api().post<{ error: { code: string } }>('/apps/com.example.shop/signing-key', {});
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'SIGNING_KEY_EXISTS' } } });

  const { id, bundle, signature } = await release('1.1.0');
  const verifies = (text: string, key: string) => createVerify('sha256').update(bundle).verify(key, text, 'base64');
  expect(verifies(signature!, public_key!)).toBe(true);
  await api().post(`/apps/com.example.shop/builds/${id}/promote`, { target_channel: 'production' });
  const key = await command('key', 'create', '--app', 'com.example.shop', '--name', 'installs');
  for (const channel of ['staging', 'production']) {
    const update = await checkUpdate(deployment.devices[0]!, key['plaintext_key']!, 'd', '1.0.0', channel);
    expect(update.body.signature).toBe(signature);
  }

  // Statements are signed behind the build, within a second or so.
  const verifiesText = (text: string, signed: string) =>
    createVerify('sha256').update(text).verify(public_key!, signed, 'base64');
  for (;;) {
    const { body } = await checkUpdate(deployment.devices[0]!, key['plaintext_key']!, 'd', '1.0.0');
    if (body.manifest !== undefined && body.channelState !== undefined) {
      expect(verifiesText(body.manifest, body.manifestSignature!)).toBe(true);
      expect(verifiesText(body.channelState, body.channelStateSignature!)).toBe(true);
      expect(JSON.parse(body.manifest)).toMatchObject({ version: '1.1.0', channel: 'production' });
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  expect((await release('1.2.0', { signature: 'c3VwcGxpZWQ=' })).signature).toBe('c3VwcGxpZWQ=');
});

it('continues to serve updates that a client with the former public key verifies, until that key is retired', async () => {
  const app = '/apps/com.example.shop';
  const key = await command('key', 'create', '--app', 'com.example.shop', '--name', 'fleet');
  const offered = async (current: string) =>
    (await checkUpdate(deployment.devices[0]!, key['plaintext_key']!, 'd', current, 'staging')).body;
  const former = (await api().get<{ data: SigningKey }>(`${app}/signing-key`)).body.data;
  const active = (await api().post<{ data: SigningKey }>(`${app}/signing-key/rotate`, { size: 2048 })).body.data;
  const verifies = (bundle: Uint8Array, { public_key }: SigningKey, text: string | null) =>
    createVerify('sha256').update(bundle).verify(public_key, text!, 'base64');

  const overlapping = await release('2.0.0');
  const update = await offered('1.2.0');
  expect(update).toMatchObject({ version: '2.0.0', signature: overlapping.signature });
  expect(verifies(overlapping.bundle, former, update.signature)).toBe(true);
  expect(verifies(overlapping.bundle, active, update.signature)).toBe(false);

  // The server's keys did not sign the version with a supplied signature.
  for (const [device, version] of [
    ['behind', '1.1.0'],
    ['behind too', '1.1.0'],
    ['supplied', '1.2.0'],
    ['up to date', '2.0.0'],
  ] as const) {
    const headers = { 'X-API-Key': key['plaintext_key']!, 'X-Device-ID': device, 'X-Platform': 'ios' };
    const reported = { ...headers, 'X-Bundle-Version': version };
    const url = `${deployment.devices[0]!}/api/v1/analytics/mau`;
    expect((await call(url, { method: 'POST', headers: reported })).status).toBe(200);
  }
  const counted = async () =>
    (await api().get<{ data: CountedSigningKey[] }>(`${app}/signing-keys`)).body.data.map(({ id, devices }) => [
      id,
      devices,
    ]);
  const expected = [
    [active.id, 1],
    [former.id, 2],
  ];
  await eventually(async () => JSON.stringify(await counted()) === JSON.stringify(expected));

  expect((await api().post(`${app}/signing-keys/${former.id}/retire`)).status).toBe(200);
  expect(await counted()).toEqual(expected);
  const later = await release('2.1.0');
  const next = await offered('2.0.0');
  expect(verifies(later.bundle, active, next.signature)).toBe(true);
  expect(verifies(later.bundle, former, next.signature)).toBe(false);
});

it('lets the owner alone change signing keys while it keeps them to itself', async () => {
  const app = '/apps/com.example.shop';
  const { id } = (await api().get<{ data: SigningKey }>(`${app}/signing-key`)).body.data;
  const denied = { status: 403, body: { error: { code: 'TOKEN_PERMISSION_DENIED' } } };
  expect(await api().patch(app, { signing_key_rotation: 'owner_only' })).toMatchObject(denied);
  expect(await api().patch(app, { unique_signatures: true })).toMatchObject(denied);

  const kept = await byOwner('PATCH', app, { signing_key_rotation: 'owner_only' });
  expect(kept).toMatchObject({ status: 200, body: { data: { signing_key_rotation: 'owner_only' } } });
  expect((await api().get(app)).body.data).toMatchObject({ signing_key_rotation: 'owner_only' });
  for (const path of ['signing-key', 'signing-key/rotate', `signing-keys/${id}/retire`]) {
    expect(await api().post(`${app}/${path}`, {})).toMatchObject(denied);
  }
  expect((await api().get(`${app}/signing-keys`)).status).toBe(200);
  expect(await byOwner('POST', `${app}/signing-key/rotate`, { size: 2048 })).toMatchObject({ status: 200 });
  expect(await byOwner('POST', `${app}/signing-keys/${id}/retire`)).toMatchObject({ status: 200 });

  expect(await byOwner('PATCH', app, { signing_key_rotation: 'any_token' })).toMatchObject({ status: 200 });
  expect((await api().post(`${app}/signing-key/rotate`, { size: 2048 })).status).toBe(200);
  expect(await byOwner('PATCH', app, { signing_key_rotation: 'none' })).toMatchObject({
    status: 422,
    body: { errors: { signing_key_rotation: [expect.any(String)] } },
  });
});

it('rejects an old signed bundle under a new version once each signature is for one version only', async () => {
  const path = '/apps/com.example.shop/builds';
  const replay = ({ bundle, signature }: Awaited<ReturnType<typeof release>>, version: string, channel: string) =>
    api().upload<unknown>(path, bundle, { version, channel, signature: signature! });
  expect((await replay(await release('3.0.0'), '3.1.0', 'staging')).status).toBe(202);

  expect((await byOwner('PATCH', '/apps/com.example.shop', { unique_signatures: true })).status).toBe(200);
  const signed = await release('3.2.0');
  for (const channel of ['staging', 'production', 'development']) {
    expect(await replay(signed, '9.9.9', channel)).toMatchObject({
      status: 422,
      body: { errors: { signature: [expect.stringContaining('3.2.0')] } },
    });
  }
  expect((await replay(signed, '3.2.0', 'development')).status).toBe(202);
});

it('continues to answer during thirty concurrent rotations, and creates no more keys than the limits allow', async () => {
  const { body } = await api().post<{ data: { id: number } }>('/apps', { name: 'Busy' });
  const path = `/apps/${body.data.id}/signing-key`;
  expect((await api().post(path, {})).status).toBe(201);
  let running = 30;
  const rotations = Promise.all(
    Array.from({ length: running }, () =>
      api()
        .post<{ error?: { code: string } }>(`${path}/rotate`, {})
        .finally(() => (running -= 1)),
    ),
  );
  const key = await command('key', 'create', '--app', 'com.example.shop', '--name', 'readers');
  const check = await checkUpdate(deployment.devices[0]!, key['plaintext_key']!, 'd', '1.0.0', 'staging');
  let answered = 0;
  while (running > 0) {
    const [download, health] = await Promise.all([
      fetch(check.body.downloadUrl),
      fetch(`${deployment.gateways[0]!}/api/health`),
    ]);
    expect([download.status, health.status]).toEqual([200, 200]);
    await download.arrayBuffer();
    await health.arrayBuffer();
    answered += 1;
  }
  // In libuv's pool the rotations would have come first.
  expect(answered).toBeGreaterThan(10);
  const codes = (await rotations).map(({ status, body: { error } }) => error?.code ?? status);
  const count = (code: unknown) => codes.filter((each) => each === code).length;
  expect(count(200)).toBe(3);
  // The creation was the first of ten actions.
  expect(count('TOO_MANY_FORMER_SIGNING_KEYS') + count('SERVICE_UNAVAILABLE')).toBe(6);
  expect(count('KEY_ACTION_RATE_LIMITED')).toBe(21);
});
