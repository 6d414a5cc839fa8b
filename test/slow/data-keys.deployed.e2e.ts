import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from '@sluice/config';
import type { BuildStats, DataKeyName, ListedDataKeys } from '@sluice/contracts';
import { openEngines } from '@sluice/engines';
import { eventually } from '@sluice/testing';
import { createVault, masterKeyFrom } from '@sluice/vault';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(300_000);

const HOUR = 3_600_000;
const DASHBOARD = '/api/dashboard/v1';

onEachDeployment('data keys, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  const app = '/apps/com.example.shop';
  let deployment: Deployment;
  let token: string;
  let key: string;
  let buildId: number;
  let bundleId = '';

  const gateway = () => deployment.gateways[0]!;
  const command = (...args: string[]) =>
    sluice([...args, '--json'], { SLUICE_SERVER: gateway(), DATA_DIR: deployment.dataDir });
  const check = async (address: string) => (await checkUpdate(address, key, 'a', '1.0.0')).body;
  const installed = (address: string, device: string) =>
    call(`${address}/api/v1/analytics/install`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'X-Device-ID': device, 'Content-Type': 'application/json' },
      body: JSON.stringify({ bundle_id: bundleId, status: 'complete' }),
    });
  const installs = async () => {
    const { body } = await management(gateway(), token).get<{ data: BuildStats }>(`${app}/builds/${buildId}/stats`);
    return body.data.totals.installs;
  };
  /** What every process of device-updates answers to a download URL. */
  const download = (url: string) => {
    const { pathname, search } = new URL(url);
    return Promise.all(
      deployment.devices.map(async (device) => {
        const response = await fetch(device + pathname + search);
        await response.arrayBuffer();
        return response.status;
      }),
    );
  };
  const everywhere = (status: number) => deployment.devices.map(() => status);
  const login = async () => {
    const response = await fetch(`${gateway()}${DASHBOARD}/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ owner_key: await deployment.ownerKey() }),
    });
    return /sluice_session=[^;]+/.exec(response.headers.getSetCookie()[0]!)![0];
  };
  const sessionAt = (Cookie: string) =>
    Promise.all(
      deployment.gateways.map(
        async (address) => (await call(`${address}${DASHBOARD}/session`, { headers: { Cookie } })).status,
      ),
    );
  const owner = async (method: string, path: string, body?: object) =>
    call<{ data: ListedDataKeys; error?: { code: string } }>(`${gateway()}${DASHBOARD}/secrets/data-keys${path}`, {
      method,
      headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const newest = ({ keys }: ListedDataKeys) =>
    Object.fromEntries(keys.map(({ name, versions }) => [name, versions[0]!.version]));

  /** As if they had been rotated so long ago. */
  async function rotateAgo(...rotations: readonly (readonly [name: DataKeyName, ms: number])[]): Promise<void> {
    const settings = readSettings({ ...deployment.env });
    const engines = await openEngines(settings, 'test');
    const masterKey = settings.masterKey ?? (await readFile(join(deployment.dataDir, 'master.key'), 'utf8'));
    for (const [name, ms] of rotations) {
      const masterKeys = { current: masterKeyFrom(masterKey) };
      const vault = createVault({ state: engines.stateStore, masterKeys, now: () => Date.now() - ms });
      await vault.rotateDataKeys([name]);
      vault.close();
    }
    await engines.close();
  }

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({ DOWNLOAD_URL_TTL_SECONDS: '600' });
    const made = await command('token', 'create', '--name', 'ci', '--all-apps');
    token = (JSON.parse(made.stdout) as { token: string }).token;
    const api = management(gateway(), token);
    await api.post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    key = (await api.post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'installs' })).body.data
      .plaintext_key;
    const bundle = await zipOf({ 'index.html': 'x' });
    const { body } = await api.upload(`${app}/builds`, bundle, { version: '1.1.0', channel: 'production' });
    buildId = body.data.build.id;
    while (bundleId === '') {
      await pause(50);
      bundleId = ((await check(deployment.devices[0]!)) as { bundleId?: string }).bundleId ?? '';
    }
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run(
    'keeps download URLs, sessions and reports valid through a rotation, until the former version is deleted',
    async () => {
      const { downloadUrl: before } = await check(deployment.devices[0]!);
      const session = await login();
      expect((await installed(deployment.devices[0]!, 'a')).status).toBe(200);

      const { stdout, stderr } = await command('secrets', 'rotate-data-keys');
      expect(stderr).toBe('');
      const rotated = JSON.parse(stdout) as ListedDataKeys;
      expect(newest(rotated)).toEqual({ 'download-url': 2, sessions: 2, 'device-id': 2, 'oauth-verifiers': 2 });
      expect(await download(before)).toEqual(everywhere(200));
      expect(await sessionAt(session)).toEqual(deployment.gateways.map(() => 200));
      expect(await sessionAt(await login())).toEqual(deployment.gateways.map(() => 200));
      for (const device of deployment.devices) await installed(device, 'a');
      expect(await installs()).toBe(1);

      // Whichever process has read the new version first: the others accept what it signs.
      let after = '';
      for (let turn = 0; !after.includes('&kid=2&'); turn += 1) {
        after = (await check(deployment.devices[turn % deployment.devices.length]!)).downloadUrl;
        if (!after.includes('&kid=2&')) await pause(100);
      }
      expect(await download(after)).toEqual(everywhere(200));
      expect(await download(before)).toEqual(everywhere(200));
      expect(await download(after.replace('&kid=2', ''))).toEqual(everywhere(403));

      await deployment.stop();
      await rotateAgo(['download-url', 24 * HOUR], ['device-id', HOUR]);
      await deployment.start();
      await eventually(async () => (await download(before)).every((status) => status === 403), { everyMs: 200 });
      expect(Number(new URL(before).searchParams.get('expires'))).toBeGreaterThan(Date.now());
      expect(await download(after)).toEqual(everywhere(403));
      const { downloadUrl: last } = await check(deployment.devices[0]!);
      expect(last).toContain('&kid=3&');
      expect(await download(last)).toEqual(everywhere(200));

      // The device's reports are stored under the third version from here on, and were under the first.
      for (const device of deployment.devices) {
        await installed(device, 'a');
        await installed(device, 'b');
      }
      expect(await installs()).toBe(2);
      const forgotten = await call(`${gateway()}/api/public/v1${app}/devices/a`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(forgotten.body).toMatchObject({ data: { deleted: 1 } });
      expect(await installs()).toBe(1);

      expect(await sessionAt(session)).toEqual(deployment.gateways.map(() => 200));
      const ended = await command('secrets', 'rotate-data-keys', '--name', 'sessions', '--end-sessions');
      expect(JSON.parse(ended.stdout)).toMatchObject({ keys: [{ name: 'sessions' }], ended_sessions: 2 });
      expect(await sessionAt(session)).toEqual(deployment.gateways.map(() => 401));
    },
  );

  run('rejects a rotation while eight versions are in use, and rotates none', async () => {
    const names = ['sessions', 'oauth-verifiers'];
    const versions = newest((await owner('GET', '')).body.data);
    for (let version = versions['oauth-verifiers']!; version < 8; version += 1) {
      expect((await owner('POST', '/rotate', { names: ['oauth-verifiers'] })).status).toBe(200);
    }
    const { status, body } = await owner('POST', '/rotate', { names });
    expect([status, body.error?.code]).toEqual([409, 'TOO_MANY_DATA_KEY_VERSIONS']);
    expect(newest((await owner('GET', '')).body.data)).toEqual({ ...versions, 'oauth-verifiers': 8 });
    expect((await owner('POST', '/rotate', { names: ['master'] })).status).toBe(422);
    expect((await owner('POST', '/rotate', { names: [] })).status).toBe(422);
  });
});
