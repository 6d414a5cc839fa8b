import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { newCredential } from '@sluice/contracts';
import type { Row } from '@sluice/document-store';
import { openEngines } from '@sluice/engines';
import { temporaryDirectory } from '@sluice/testing';
import { devicePins } from '../../services/device-updates/devices/device-pins';
import { deviceReports } from '../../services/device-updates/reports/device-reports';
import { deviceStates } from '../../services/device-updates/reports/device-states';
import { reportErrors } from '../../services/device-updates/reports/report-errors';
import { rolledBackDevices } from '../../services/device-updates/reports/rolled-back-devices';
import { idempotencyRecords } from '../../services/gateway/idempotency/idempotency';
import { standalone, type Deployment } from '../support/deployment';
import { checkUpdate } from '../support/http';
import { sluice, startProcess } from '../support/process';
import { createSecretSearch } from '../support/secret-search';
import { zipOf } from '../support/zip';

type Engines = Awaited<ReturnType<typeof openEngines>>;

interface Made {
  readonly id: number;
  readonly token: string;
  readonly plaintext_key: string;
  readonly owner_key: string;
}

let deployment: Deployment;
let dataDir: string;
/** Everything that the server has answered, but for the two answers that hold a fresh secret. */
let answers: string[];

const command = (token: string, ...args: string[]) =>
  sluice(args, { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: dataDir, SLUICE_TOKEN: token });

async function make(token: string, ...args: string[]): Promise<Made> {
  const { stdout, stderr } = await command(token, ...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Made;
}

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const { status, headers, text } = await fetch(deployment.gateways[0]! + path, { redirect: 'manual', ...init }).then(
    async (response) => ({ status: response.status, headers: [...response.headers], text: await response.text() }),
  );
  answers.push(JSON.stringify(headers), text);
  return { status, text };
}

async function upload(token: string, file: Buffer, fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([Uint8Array.from(file)]), 'bundle.zip');
  const path = '/api/public/v1/apps/com.example.shop/builds';
  return ask(path, { method: 'POST', headers: bearer(token), body: form });
}

async function released(token: string, version: string): Promise<void> {
  const { status, text } = await upload(token, await zipOf({ 'index.html': version }), {
    version,
    channel: 'production',
  });
  expect(status).toBe(202);
  const { data } = JSON.parse(text) as { data: { job_id: string } };
  for (let job = ''; !job.includes('"completed"');) {
    job = (await ask(`/api/public/v1/jobs/${data.job_id}`, { headers: bearer(token) })).text;
    expect(job).not.toContain('"failed"');
  }
}

beforeEach(() => {
  dataDir = temporaryDirectory();
  answers = [];
});

afterEach(() => deployment.destroy(), 30_000);

it('changes its master key: either key opens, then the new one alone', async () => {
  const deploy = async (env: Record<string, string> = {}) => {
    deployment = await standalone.deploy({ DATA_DIR: dataDir, ...env });
  };
  const refused = (env: Record<string, string>) =>
    startProcess('standalone', { DATA_DIR: dataDir, ...env }).then(
      () => 'started',
      (error: unknown) => String(error),
    );
  const check = async () => (await checkUpdate(deployment.devices[0]!, first.plaintext_key, 'device', '0.9.0')).body;
  const plaintexts = async (env: Record<string, string>) => {
    const engines = await openEngines(readSettings({ DATA_DIR: dataDir, ...env }), 'test');
    const ids = await engines.vault.ids({ prefix: 'apiKey-', after: '', limit: 10 });
    const secrets = await Promise.all(ids.map(async (id) => String(await engines.vault.open(id))));
    await engines.close();
    return secrets;
  };

  await deploy();
  const { token } = await make('', 'token', 'create', '--name', 'ci', '--all-apps');
  await make(token, 'app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop');
  const first = await make(token, 'key', 'create', '--app', 'com.example.shop', '--name', 'first');
  await released(token, '1.0.0');
  const address = new URL((await check()).downloadUrl);
  await deployment.stop();

  const former = (await readFile(join(dataDir, 'master.key'), 'utf8')).trim();
  const next = randomBytes(32).toString('base64');
  expect(await refused({ MASTER_KEY: next })).toMatch(/ended with 1 .*\n.*MASTER_KEY .*MASTER_KEY_PREVIOUS/);

  const both = { MASTER_KEY: next, MASTER_KEY_PREVIOUS: former };
  await deploy(both);
  const second = await make(token, 'key', 'create', '--app', 'com.example.shop', '--name', 'second');
  expect(await check()).toMatchObject({ available: true, version: '1.0.0' });
  // Signed with a data key before the change.
  expect((await fetch(deployment.devices[0]! + address.pathname + address.search)).status).toBe(200);
  expect(await plaintexts(both)).toEqual([first.plaintext_key, second.plaintext_key]);
  const resealed = await make('', 'secrets', 'reseal');
  expect(resealed).toEqual({ resealed: expect.any(Number), remaining: 0, failed: [] });
  expect(await make('', 'secrets', 'reseal')).toEqual({ resealed: 0, remaining: 0, failed: [] });
  await deployment.stop();

  expect(await refused({})).toMatch(/ended with 1 .*\n.*MASTER_KEY .*MASTER_KEY_PREVIOUS/);
  expect(await refused({ MASTER_KEY: former, MASTER_KEY_PREVIOUS: randomBytes(32).toString('hex') })).toMatch(
    /ended with 1 .*\n.*Neither .*MASTER_KEY .*MASTER_KEY_PREVIOUS/,
  );

  await deploy({ MASTER_KEY: next });
  expect(await check()).toMatchObject({ available: true, version: '1.0.0' });
  expect((await fetch(deployment.devices[0]! + address.pathname + address.search)).status).toBe(200);
  expect(await plaintexts({ MASTER_KEY: next })).toEqual([first.plaintext_key, second.plaintext_key]);
  expect(await refusedReseal(token)).toContain('INVALID_OWNER_KEY');
}, 120_000);

async function refusedReseal(token: string): Promise<string> {
  return (await ask('/api/dashboard/v1/secrets/reseal', { method: 'POST', headers: bearer(token) })).text;
}

it('keeps every secret out of its data, log, arguments and answers', async () => {
  deployment = await standalone.deploy({ DATA_DIR: dataDir, LOG_LEVEL: 'trace', JOB_CONTENT_RETRY_DELAYS_MS: '1,2,3' });
  const token = await make('', 'token', 'create', '--name', 'ci', '--all-apps');
  const revoked = await make('', 'token', 'create', '--name', 'old', '--all-apps');
  await make('', 'token', 'revoke', String(revoked.id));
  await make(token.token, 'app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop');
  const newKey = (name: string) => make(token.token, 'key', 'create', '--app', 'com.example.shop', '--name', name);
  const [key, spare] = [await newKey('installs'), await newKey('spare')];
  const secrets = {
    owner: await deployment.ownerKey(),
    master: (await readFile(join(dataDir, 'master.key'), 'utf8')).trim(),
    token: token.token,
    revoked: revoked.token,
    key: key.plaintext_key,
    spare: spare.plaintext_key,
    stranger: newCredential('svc_pat_'),
  };
  const dashboard = `${deployment.gateways[0]!}/api/dashboard/v1`;
  const json = (key: string) => ({ ...bearer(key), 'Content-Type': 'application/json' });
  const ann = await make('', 'owner', 'create', '--name', 'Ann');
  // With an Idempotency-Key the secret is kept, sealed, for a repeat.
  const named = await fetch(`${dashboard}/tokens`, {
    method: 'POST',
    headers: { ...json(secrets.owner), 'Idempotency-Key': 'named' },
    body: '{"name":"named"}',
  });
  const { data: kept } = (await named.json()) as { data: Made };
  const login = await fetch(`${dashboard}/session`, {
    method: 'POST',
    headers: json(''),
    body: JSON.stringify({ owner_key: ann.owner_key }),
  });
  const session = /sluice_session=([^;]+)/.exec(login.headers.getSetCookie()[0]!)![1]!;
  const rotating = await make('', 'token', 'create', '--name', 'rotating');
  const others = {
    ann: ann.owner_key,
    kept: kept.token,
    session,
    rotating: rotating.token,
    rotated: (await make('', 'token', 'rotate', String(rotating.id))).token,
  };
  const { gate_secret: gate } = (await make(token.token, 'app', 'gate-secret', 'com.example.shop')) as Made & {
    readonly gate_secret: string;
  };
  const search = createSecretSearch({ ...secrets, ...others, gate });
  const cookie = { Cookie: `sluice_session=${session}` };
  expect((await ask('/api/dashboard/v1/session', { headers: cookie })).status).toBe(200);
  expect((await ask('/api/dashboard/v1/owners', { headers: cookie })).status).toBe(403);
  expect((await ask('/api/dashboard/v1/tokens', { method: 'POST', headers: cookie })).status).toBe(403);
  await ask('/api/dashboard/v1/owners', { headers: bearer(secrets.owner) });
  await ask(`/api/dashboard/v1/tokens/${kept.id}`, { headers: bearer(secrets.owner) });
  for (const secret of Object.values(others)) {
    await ask('/api/dashboard/v1/owner', { headers: { Cookie: `sluice_session=${secret.slice(1)}` } });
    for (const body of [`{"owner_key": "${secret}`, JSON.stringify({ owner_key: `${secret}x` })]) {
      await ask('/api/dashboard/v1/session', { method: 'POST', headers: json(''), body });
    }
    await ask(`/api/dashboard/v1/tokens/${secret}`, { headers: bearer(secrets.owner) });
  }

  await released(token.token, '1.0.0');
  const steps = [{ percentage: 100, hold_minutes: 0, min_devices: 0 }];
  const gates = { webhook: { url: 'https://gate.invalid/' } };
  const planned = { method: 'PUT', headers: json(token.token), body: JSON.stringify({ steps, gates }) };
  expect((await ask('/api/public/v1/apps/com.example.shop/builds/1/plan', planned)).status).toBe(200);
  const zip = await zipOf({ 'index.html': 'x'.repeat(1_000) });
  await upload(token.token, zip, { version: '1.0.0', channel: 'production' });
  await upload(token.token, Buffer.from('no zip'), { version: '2.0.0', channel: 'production' });
  await upload(token.token, zip.subarray(0, -20), { version: '2.0.0', channel: 'staging' });
  await upload(secrets.revoked, zip, { version: '3.0.0', channel: 'staging' });
  const update = await checkUpdate(deployment.devices[0]!, key.plaintext_key, 'device', '0.9.0');
  answers.push(JSON.stringify(update.body));
  expect((await fetch(update.body.downloadUrl)).status).toBe(200);
  await ask('/api/public/v1/apps/com.example.shop/api-keys', { headers: bearer(token.token) });
  await ask('/api/dashboard/v1/tokens', { headers: bearer(secrets.owner) });
  await ask('/api/dashboard/v1/secrets/reseal', { method: 'POST', headers: bearer(secrets.owner) });

  // Each secret wherever it does not belong.
  for (const secret of Object.values(secrets)) {
    for (const given of [secret, secret.slice(0, -1)]) {
      await ask('/api/public/v1/token', { headers: { 'X-Access-Token': given, ...bearer(given) } });
      await ask('/api/dashboard/v1/tokens', { headers: bearer(given) });
      await ask('/svc/v1/listings-ads/feed/settings', { headers: bearer(given) });
      await ask('/api/v1/updates/check', { headers: { 'X-API-Key': given, 'X-Device-ID': 'd' } });
    }
    // No client sends the master key, and it can't be distinguished from other digits.
    if (secret === secrets.master) continue;
    const headers = json(token.token);
    for (const path of [
      ...['apps', 'jobs', 'apps/com.example.shop/builds', 'apps/com.example.shop/api-keys', 'nothing'].map(
        (resource) => `/api/public/v1/${resource}/${secret}`,
      ),
      `/api/public/v1/apps?page=${secret}`,
      `/api/public/v1/token?access_token=${secret}`,
      `/api/public/v1/apps/%zz${secret}`,
      `/api/v1/updates/check?key=${secret}`,
      `/api/v1/bundles/${secret}/download?signature=${secret}`,
      `/${secret}`,
    ]) {
      await ask(path, { headers });
    }
    for (const body of [`{"name": "${secret}`, secret, JSON.stringify({ name: 'x', bundle_id: secret })]) {
      await ask('/api/public/v1/apps', { method: 'POST', headers, body });
      await ask('/api/dashboard/v1/tokens', { method: 'POST', headers: json(secrets.owner), body });
    }
    for (const { stdout, stderr } of [
      await command(secret, 'app', 'list'),
      await command(secret, 'app', 'list', '--json'),
    ]) {
      if (secret !== token.token) expect(stderr).not.toBe('');
      answers.push(stdout, stderr);
    }
  }

  const [process] = deployment.processes;
  const whereAllowed = ['master in master.key', 'owner in owner.key'];
  const found = async () => [
    ...(await search.inFolder(dataDir)),
    ...search.inTexts('the log', process!.log),
    ...search.inTexts('an answer', answers),
  ];
  expect(process!.log.length).toBeGreaterThan(5);
  expect(answers.length).toBeGreaterThan(100);
  const args = await readFile(`/proc/${process!.child.pid}/cmdline`).catch(() => Buffer.alloc(0));
  expect(search.inBytes('its arguments', args)).toEqual([]);
  expect(await found()).toEqual(whereAllowed);

  // What a crash leaves, logs of unfinished transactions included, and what an orderly end leaves.
  await process!.stop('SIGKILL');
  expect(await found()).toEqual(whereAllowed);
  await deployment.start();
  await deployment.stop();
  expect(await found()).toEqual(whereAllowed);

  const engines = await openEngines(readSettings({ DATA_DIR: dataDir }), 'test');
  let events = '';
  for await (const event of engines.events.readAll()) events += JSON.stringify(event);
  await engines.close();
  expect(events).toContain('ApiKeyCreated');
  expect(search.inText('the events', events)).toEqual([]);

  const malformed = {
    MASTER_KEY: `${secrets.master}0`,
    MASTER_KEY_PREVIOUS: `${secrets.master}0`,
    OWNER_KEY: `${secrets.owner}0`,
  };
  for (const [name, value] of Object.entries(malformed)) {
    const data = join(dataDir, 'another');
    const said = await startProcess('standalone', { DATA_DIR: data, [name]: value }).then(
      () => 'started',
      (error: unknown) => String(error),
    );
    expect(said).toMatch(new RegExp(`The setting ${name} `));
    expect(search.inText('a refused start', said)).toEqual([]);
  }
}, 180_000);

it('keeps the id of a device out of its events and its log, plain and hashed, and no row of a forgotten one', async () => {
  deployment = await standalone.deploy({ DATA_DIR: dataDir, LOG_LEVEL: 'trace' });
  const { token } = await make('', 'token', 'create', '--name', 'ci', '--all-apps');
  await make(token, 'app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop');
  const { plaintext_key: key } = await make(token, 'key', 'create', '--app', 'com.example.shop', '--name', 'installs');
  await released(token, '1.0.0');
  const id = randomBytes(24).toString('hex');
  const onDevice = ['--app', 'com.example.shop'];
  const pinned = await make(token, 'device', 'pin', id, '--build', '1', ...onDevice);
  expect(pinned).toMatchObject({ build_id: 1, devices: 1 });
  const { bundleId } = (await checkUpdate(deployment.devices[0]!, key, id, '0.9.0')).body as { bundleId?: string };
  const reported = await ask('/api/v1/analytics/install', {
    method: 'POST',
    headers: { 'X-API-Key': key, 'X-Device-ID': id, 'Content-Type': 'application/json' },
    body: JSON.stringify({ bundle_id: bundleId, status: 'rollback' }),
  });
  expect(reported.status).toBe(200);
  const body = JSON.stringify({ add: [id] });
  const named = { ...bearer(token), 'Content-Type': 'application/json', 'Idempotency-Key': 'named' };
  const again = await ask('/api/public/v1/apps/1/builds/1/pins', { method: 'PATCH', headers: named, body });
  expect(again.status).toBe(200);
  const stored = await make(token, 'device', 'export', id, ...onDevice);
  expect(stored).toMatchObject({ rolled_back: [1], pins: [{ build_id: 1 }], reports: [{ build_id: 1 }] });

  const open = () => openEngines(readSettings({ DATA_DIR: dataDir }), 'test');
  await deployment.stop();
  const before = await open();
  const unforgotten = await rowsOf(before);
  await before.close();
  await deployment.start();
  expect((await command(token, 'device', 'forget', id, ...onDevice)).code).toBe(0);
  const log = deployment.processes.flatMap((process) => process.log).join('\n');
  await deployment.stop();
  const engines = await open();
  let events = '';
  for await (const event of engines.events.readAll()) events += JSON.stringify(event);
  const rows = await rowsOf(engines);
  const { newest } = await engines.vault.dataKeys('device-id');
  await engines.close();
  const hash = createHmac('sha256', newest.key).update(`1:${id}`).digest().toString('base64url', 0, 16);
  const digests = [id, body, '["' + id + '"]'].map((text) => createHash('sha256').update(text).digest());
  const traces = [id, hash, ...digests.flatMap((digest) => [digest.toString('hex'), digest.toString('base64url')])];
  expect(events).toContain('PinsChanged');
  expect(traces.filter((trace) => events.includes(trace))).toEqual([]);
  expect(traces.filter((trace) => log.includes(trace))).toEqual([]);
  expect(unforgotten).toContain(hash);
  expect(traces.filter((trace) => rows.includes(trace))).toEqual([]);
}, 120_000);

/** All rows that are kept of devices, and of commands that name some. */
async function rowsOf({ stateStore }: Engines): Promise<string> {
  const names = [deviceReports, deviceStates, rolledBackDevices, devicePins, reportErrors, idempotencyRecords];
  const rows = names.map(({ name }) => stateStore.rows<Row>({ name, indexes: [] }).find());
  return JSON.stringify(await Promise.all(rows));
}

describe('the search itself', () => {
  const secret = newCredential('svc_app_');
  const { inBytes } = createSecretSearch({ key: secret });
  const random = Buffer.from(/[0-9a-f]{40,}/.exec(secret)![0], 'hex');

  it.each([
    ['in the clear', Buffer.from(`<${secret}>`)],
    ['cut in two', Buffer.concat([Buffer.from(secret.slice(0, 30)), Buffer.alloc(9), Buffer.from(secret.slice(30))])],
    ['in hex', Buffer.from(Buffer.from(secret).toString('hex'))],
    ['as its random bytes', Buffer.concat([Buffer.alloc(3), random])],
    ['as its random bytes in Base64', Buffer.from(random.toString('base64'))],
    ...[0, 1, 2].map((before): [string, Buffer] => [
      `in Base64, ${before} bytes in`,
      Buffer.from(Buffer.from('{"'.slice(0, before) + secret).toString('base64url')),
    ]),
  ])('finds a secret %s', (_, bytes) => {
    expect(inBytes('it', bytes)).toEqual(['key in it']);
  });

  it('finds nothing in what may be shown', () => {
    expect(
      inBytes('it', Buffer.from(`${secret.slice(0, 12)}…${secret.slice(-4)} ${newCredential('svc_app_')}`)),
    ).toEqual([]);
  });
});
