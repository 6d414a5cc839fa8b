import { createHash, randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ElectronUpdater } from '@capgo/electron-updater';
import type { BuildFacts } from '@sluice/contracts';
import fc from 'fast-check';
import { eventually, temporaryDirectory } from '@sluice/testing';
import {
  buildFacts,
  isOffered,
  openDeviceStores,
  rollOut,
  startDevicePlane,
  withBundle,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { zipOf } from '../../../../test/support/zip';
import { deviceReports } from '../../reports/device-reports';

const BETA = { appId: 1, id: 'beta.1', name: 'beta' };

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;

beforeEach(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  await stores.append('channels-1', { type: 'ChannelAdded', data: { ...BETA, selfAssign: true } });
  plane = await startDevicePlane(stores, { limitDevicePerMinute: 100_000 });
  await plane.index.open();
});

afterEach(async () => {
  await plane.close();
  await stores.close();
});

const base = (ofKey = key) => `${plane.address}/compat/capgo/${ofKey}`;

async function publish(id: number, version: string, more: Partial<BuildFacts> = {}): Promise<BuildFacts> {
  const zip = await zipOf({ 'index.html': version });
  const build = await withBundle(stores.objects, buildFacts(id, version, more), zip);
  await stores.publish(build);
  await stores.change(build, { type: 'RolloutChanged', data: { buildId: id, rolloutPercentage: 100, enabled: true } });
  return build;
}

const recall = (build: BuildFacts, target: number | 'embedded') =>
  stores.change(build, {
    type: 'BuildRecalled',
    data: { ...recallFacts(build), reason: 'It is broken.', target },
  });

const recallFacts = ({ buildId, appId, channel, version, checksum }: BuildFacts) => ({
  ...{ buildId, appId, channel, version, checksum },
});

/** Publishes the source again under another version, for devices of the recalled build. */
async function republish(source: BuildFacts, buildId: number, version: string, recallOf: number): Promise<void> {
  const { bundleId } = buildFacts(buildId, version);
  const data = { ...source, buildId, bundleId, version, recallOf };
  await stores.change(source, {
    type: 'BuildRepublished',
    data: { ...data, republishedFromId: source.buildId, republishedVersion: source.version },
  });
}

/** What was reported, as `build/1/installs`. */
async function reported(): Promise<string[]> {
  const rows = await stores.documents.rows(deviceReports).find();
  return rows.map(({ metric }) => metric).sort();
}

/** Those of the guide, with this server and key in place of the reader's. */
async function addressesOfGuide(): Promise<Record<'updateUrl' | 'statsUrl' | 'channelUrl', string>> {
  const page = await readFile(join(__dirname, '../../../../docs/guides/coming-from-capgo.md'), 'utf8');
  const addresses = [
    ...page.matchAll(/^ +(\w+Url): 'https:\/\/updates\.example\.com\/compat\/capgo\/APP_KEY(\/\w+)',$/gm),
  ];
  const found = Object.fromEntries(addresses.map(([, name = '', path = '']) => [name, base() + path]));
  const { updateUrl = '', statsUrl = '', channelUrl = '' } = found;
  return { updateUrl, statsUrl, channelUrl };
}

/** The published client, on a device with a folder of its own. */
async function startClient(folder = temporaryDirectory(), appReadyTimeout = 60_000) {
  const builtin = join(folder, 'builtin', 'index.html');
  await mkdir(dirname(builtin), { recursive: true });
  await writeFile(builtin, 'builtin');
  process.env['TEST_USER_DATA'] = folder;
  process.env['TEST_APP_VERSION'] = '1.0.0';
  let shown = '';
  const window = { on: () => window, loadFile: async (path: string) => void (shown = await readFile(path, 'utf8')) };
  const updater = new ElectronUpdater({
    ...{ appId: 'app.1', version: '1.0.0', autoUpdate: true, disableJSLogging: true, appReadyTimeout },
    ...(await addressesOfGuide()),
  });
  await updater.initialize(window, builtin);
  return {
    updater,
    shown: () => shown,
    running: async () => (await updater.current()).bundle.version,
    /** As the client does by itself when the app comes to the foreground. */
    async update() {
      const latest = await updater.getLatest();
      const { url = '', version, checksum } = latest;
      const bundle = await updater.download({ url, version, ...(checksum !== undefined && { checksum }) });
      await updater.set({ id: bundle.id });
      return latest;
    },
  };
}

describe('the client of Capgo for Electron', () => {
  it('updates, reports, goes back to an older build and then to the one in the native app', async () => {
    const older = await publish(1, '1.1.0');
    const folder = temporaryDirectory();
    const first = await startClient(folder);
    expect(await first.update()).toMatchObject({ version: '1.1.0', checksum: older.checksum, session_key: '' });
    await first.updater.notifyAppReady();
    expect([first.shown(), await first.running()]).toEqual(['1.1.0', '1.1.0']);
    expect(await first.updater.getLatest()).toEqual({
      ...{ error: 'no_new_version_available', message: 'No new version available', kind: 'up_to_date' },
    });
    expect(await reported()).toEqual(['build/1/downloads', 'build/1/installs', 'version/1.1.0 all 1.0.0']);

    const newer = await publish(2, '1.2.0');
    await first.update();
    await first.updater.notifyAppReady();
    expect(await first.running()).toBe('1.2.0');

    await recall(newer, 1);
    await republish(older, 3, '1.2.1', 2);
    const back = await startClient(folder);
    expect(await back.update()).toMatchObject({ version: '1.1.0', checksum: older.checksum });
    await back.updater.notifyAppReady();
    expect([back.shown(), await back.running()]).toEqual(['1.1.0', '1.1.0']);
    expect(await back.updater.getLatest()).toMatchObject({ kind: 'up_to_date' });

    await recall(older, 'embedded');
    expect(await back.updater.getLatest()).toEqual({ version: 'builtin' });
    await back.updater.reset();
    await back.updater.notifyAppReady();
    expect([back.shown(), await back.running()]).toEqual(['builtin', '1.0.0']);
    expect(await back.updater.getLatest()).toMatchObject({ kind: 'up_to_date' });
  });

  it('reports a bundle that does not become ready', async () => {
    await publish(1, '1.1.0');
    const client = await startClient(temporaryDirectory(), 10);
    await client.update();
    await eventually(async () => (await reported()).includes('build/1/install_failures'));
    expect(await client.updater.getLatest()).toMatchObject({ kind: 'up_to_date' });
  });

  it('chooses, reads and leaves a channel', async () => {
    await publish(1, '1.1.0');
    await publish(2, '2.0.0', { channel: 'beta.1' });
    const { updater } = await startClient();
    expect(await updater.listChannels()).toEqual({
      channels: [{ id: '1', name: 'beta', public: true, allow_self_set: true }],
    });
    expect(await updater.getChannel()).toMatchObject({ channel: 'production', status: 'default', allowSet: true });
    expect(await updater.getLatest()).toMatchObject({ version: '1.1.0' });
    expect(await updater.setChannel({ channel: 'beta' })).toMatchObject({ status: 'ok' });
    expect(await updater.getChannel()).toMatchObject({ channel: 'beta', status: 'override' });
    expect(await updater.getLatest()).toMatchObject({ version: '2.0.0' });
    for (const channel of ['production', 'none']) {
      expect(await updater.setChannel({ channel })).toEqual({
        ...{ status: 'error', error: 'channel_not_found' },
        message: `There is no channel "${channel}" that devices may choose.`,
      });
    }
    expect(await updater.getChannel()).toMatchObject({ channel: 'beta' });
    await updater.unsetChannel();
    expect(await updater.getLatest()).toMatchObject({ version: '1.1.0' });
  });
});

describe('the probe of the CLI of Capgo', () => {
  const CLI = join(__dirname, '../../../../node_modules/@capgo/cli/dist/index.js');

  /** What it says of the server, in the project of an app for Android. */
  async function probe(): Promise<string> {
    const folder = temporaryDirectory();
    const { updateUrl } = await addressesOfGuide();
    const plugin = { name: '@capgo/capacitor-updater', version: '8.51.14' };
    const files = {
      'package.json': JSON.stringify({ name: 'app', dependencies: { [plugin.name]: plugin.version } }),
      'capacitor.config.json': JSON.stringify({ appId: 'app.1', plugins: { CapacitorUpdater: { updateUrl } } }),
      'android/app/build.gradle': 'android { defaultConfig {\n versionCode 1\n versionName "1.0.0"\n } }',
      'node_modules/@capgo/capacitor-updater/package.json': JSON.stringify(plugin),
    };
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    const env = { HOME: folder, PATH: process.env['PATH'], CAPGO_DISABLE_TELEMETRY: '1', CAPGO_DISABLE_POSTHOG: '1' };
    const args = [CLI, 'probe', '--platform', 'android'];
    return (await promisify(execFile)(process.execPath, args, { cwd: folder, env })).stdout;
  }

  it('finds an update, and nothing where there is none', async () => {
    // Of a response that it takes for a failure, it prints the error before the message.
    expect(await probe()).toContain('Reason: No new version available');
    await publish(1, '1.1.0');
    expect(await probe()).toMatch(/Update available.*1\.1\.0/s);
  });
});

describe('the protocol of Capgo', () => {
  const DEVICE = {
    platform: 'ios',
    device_id: randomUUID(),
    app_id: 'app.1',
    version_build: '3.0.0',
    version_name: 'builtin',
  };
  const send = async (path: string, body: unknown, method = 'POST', ofKey = key) => {
    const response = await fetch(`${base(ofKey)}/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  const check = async (more: object = {}, ofKey = key) =>
    (await send('updates', { ...DEVICE, ...more }, 'POST', ofKey)).body;

  it('offers what the update check of Sluice offers, and none of the members by which clients see an error', async () => {
    const build = await publish(1, '3.1.0', { releaseNotes: 'Größer', minNativeVersion: '2.5.0' });
    const offer = await check();
    expect(offer).toEqual({
      ...{ version: '3.1.0', checksum: build.checksum, session_key: '', comment: 'Größer' },
      url: expect.stringMatching(/\/api\/v1\/bundles\/1\/download/) as string,
    });
    const part = await fetch(offer['url'] as string, { headers: { Range: 'bytes=10-' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-${build.size - 1}/${build.size}`]);
    expect(await check({ version_build: '2.0.0' })).toMatchObject({ kind: 'up_to_date' });
    expect(await check({ version_name: '3.1.0' })).toMatchObject({ kind: 'up_to_date' });
    // What native apps call their version is free text.
    expect(await check({ version_build: 'Sunflower (7)' })).toMatchObject({ version: '3.1.0' });
    expect(await check({ platform: 'electron' })).toMatchObject({ version: '3.1.0' });
  });

  it('offers a build that is rolled out to the devices to which the update check of Sluice offers it', async () => {
    const build = await publish(1, '3.1.0');
    await rollOut(stores, build, 50);
    const ids = Array.from({ length: 20 }, (_, number) => `device-${number}`);
    const offered = await Promise.all(
      ids.map(async (id) => [id, (await check({ device_id: id }))['version'] !== undefined]),
    );
    expect(offered).toEqual(await Promise.all(ids.map(async (id) => [id, await isOffered(plane, key, id)])));
    expect(new Set(offered.map(([, isIn]) => isIn)).size).toBe(2);
  });

  describe('files of a bundle', () => {
    const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
    const FILES = { 'index.html': '<h1>Hello</h1>', 'assets/app.js': 'let a = 1;' };
    const indexed = async (id: number, version: string, files: Record<string, string>) => {
      const build = await withFiles(stores.objects, buildFacts(id, version), await zipOf(files));
      await stores.publish(build);
      await stores.change(build, {
        type: 'RolloutChanged',
        data: { buildId: id, rolloutPercentage: 100, enabled: true },
      });
      return build;
    };
    const offered = async (plugin_version: string) => (await check({ plugin_version }))['manifest'];

    it('are offered to the plugins that download them one by one, next to the zip', async () => {
      const { checksum } = await indexed(1, '3.1.0', FILES);
      const manifest = await eventually(async () => {
        const offer = await check({ plugin_version: '8.51.14' });
        expect(offer).toMatchObject({ version: '3.1.0', checksum, session_key: '', url: expect.any(String) as string });
        return offer['manifest'] as { file_name: string; file_hash: string; download_url: string }[] | undefined;
      });
      expect(manifest.map(({ file_name, file_hash }) => [file_name, file_hash])).toEqual(
        (['assets/app.js', 'index.html'] as const).map((name) => [name, sha256(FILES[name])]),
      );
      for (const { file_name, download_url } of manifest) {
        expect(await (await fetch(download_url)).text()).toBe(FILES[file_name as keyof typeof FILES]);
      }
      for (const plugin of ['5.10.0', '6.25.1', '7.0.35', '9.0.0-beta.1']) {
        expect([plugin, await offered(plugin)]).toEqual([plugin, manifest]);
      }
      for (const plugin of ['', '0.0.1', '4.99.0', '5.9.9', '6.24.0', '7.0.34', 'eight', '8'.repeat(400)]) {
        expect([plugin, await offered(plugin)]).toEqual([plugin, undefined]);
      }
    });

    it('are not offered of a bundle whose files clients would take for compressed ones', async () => {
      await indexed(1, '3.1.0', { ...FILES, 'app.js.br': 'packed' });
      await plane.files.load(plane.index.builds.find(1)!);
      expect(await check({ plugin_version: '8.0.0' })).not.toHaveProperty('manifest');
    });

    it('are not waited for: without an index, the zip is offered', async () => {
      await publish(1, '3.1.0');
      await expect(plane.files.load(plane.index.builds.find(1)!)).rejects.toThrow('being indexed');
      const offer = await check({ plugin_version: '8.0.0' });
      expect([offer['version'], 'manifest' in offer]).toEqual(['3.1.0', false]);
      expect(plane.logger.lines).toEqual([]);
    });

    it('have their sizes, as far as they are in the offered version', async () => {
      await indexed(1, '3.1.0', FILES);
      const file = (file_name: string, content: string) => ({
        ...{ file_name, file_hash: sha256(content), download_url: 'https://example.com' },
      });
      const manifest = [file('index.html', FILES['index.html']), file('other.js', 'other')];
      expect(await send('updates/manifest_size', { ...DEVICE, version: '3.1.0', manifest })).toMatchObject({
        status: 200,
        body: {
          ...{ totalSize: 14, knownFiles: 1, unknownFiles: 1 },
          files: [
            { ...manifest[0], size: 14 },
            { ...manifest[1], error: 'size_unknown' },
          ],
        },
      });
      const unknown = await send('updates/manifest_size', { ...DEVICE, version: '9.9.9', manifest });
      expect(unknown).toMatchObject({ status: 200, body: { knownFiles: 0, unknownFiles: 2 } });
      expect(await send('updates/manifest_size', { ...DEVICE, version: '3.1.0' })).toMatchObject({ status: 422 });
      expect(await send('updates/manifest_size', DEVICE, 'POST', 'nonsense')).toMatchObject({ status: 401 });
    });
  });

  it('takes the channel from the device, from behind the key, and from the key', async () => {
    await publish(1, '3.1.0');
    await publish(2, '4.0.0', { channel: 'beta.1' });
    await publish(3, '5.0.0', { channel: 'staging' });
    expect(await check({ defaultChannel: '' })).toMatchObject({ version: '3.1.0' });
    expect(await check({ defaultChannel: 'beta' })).toMatchObject({ version: '4.0.0' });
    expect(await check({}, `${key}-staging`)).toMatchObject({ version: '5.0.0' });
    expect(await check({ defaultChannel: 'beta' }, `${key}-staging`)).toMatchObject({ version: '4.0.0' });
    await stores.append('app-1', {
      type: 'AppEdited',
      data: { id: 1, channelAliases: { 'Beta testers': 'beta.1', old: 'beta.0' } },
    });
    await eventually(async () => (await check({ defaultChannel: 'Beta testers' }))['version'] === '4.0.0');
    expect(await check({}, `${key}-${encodeURIComponent('Beta testers')}`)).toMatchObject({ version: '4.0.0' });
    expect(await check({ defaultChannel: 'old' })).toMatchObject({ kind: 'up_to_date' });
    await stores.append('channels-1', { type: 'ChannelRemoved', data: BETA });
    await eventually(async () => (await check({ defaultChannel: 'Beta testers' }))['kind'] === 'up_to_date');
    expect(await check({}, `${key}-nope`)).toMatchObject({ kind: 'up_to_date' });
  });

  it('rejects in the form of the client, and never that there is nothing new', async () => {
    await publish(1, '3.1.0');
    const message = expect.any(String) as string;
    const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect(await send('updates', DEVICE, 'POST', unknown)).toMatchObject({
      status: 200,
      body: { error: 'invalid_api_key', kind: 'failed', message },
    });
    expect(await check({}, 'nonsense')).toMatchObject({ error: 'invalid_api_key_format', kind: 'failed' });
    expect(await check({ device_id: undefined })).toMatchObject({ error: 'missing_device_id', kind: 'failed' });
    expect(await check({ device_id: 'x'.repeat(256) })).toMatchObject({
      error: 'validation_failed',
      message: expect.stringContaining('255') as string,
    });
    for (const body of ['[]', '7', '{', '']) {
      const refused = await send('updates', body);
      expect([body, refused.status, Object.keys(refused.body)]).toEqual([
        body,
        200,
        ['status', 'error', 'message', 'kind'],
      ]);
    }
    await stores.append('apiKeys-1', {
      type: 'ApiKeyRestricted',
      data: { id: 1, restrictions: { ios: [{ bundle_id: 'app.2' }] } },
    });
    await eventually(async () => (await check())['error'] === 'api_key_restricted');
    expect(await check()).toMatchObject({ kind: 'blocked' });
    expect((await send('nothing', {})).status).toBe(200);
    expect(plane.logger.lines).toEqual([]);
  });

  it('asks a client to wait, and to send again what the server could not store', async () => {
    const limited = await startDevicePlane(stores, { limitDevicePerMinute: 1 });
    await limited.index.open();
    const ask = () =>
      fetch(`${limited.address}/compat/capgo/${key}/updates`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(DEVICE),
      });
    expect((await ask()).status).toBe(200);
    const response = await ask();
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(await response.json()).toMatchObject({ error: 'rate_limited' });
    await limited.close();
  });

  it('records a queue of events once, whatever else is in it', async () => {
    await publish(1, '3.1.0');
    const event = (action: string, more: object = {}) => ({ ...DEVICE, action, version_name: '3.1.0', ...more });
    const events = [
      event('app_moved_to_foreground', { version_name: 'builtin' }),
      event('download_10'),
      event('download_complete'),
      event('download_complete'),
      event('checksum_fail', { version_name: '3.1.0:main.js' }),
      event('set', { old_version_name: 'builtin' }),
      event('update_fail'),
      event('download_fail', { version_name: '9.9.9' }),
      event('set', { device_id: undefined }),
      'nonsense',
    ];
    const { status, body } = await send('stats', events);
    expect([status, body['status']]).toEqual([200, 'ok']);
    expect(body['results']).toHaveLength(events.length);
    expect((await reported()).filter((metric) => metric.startsWith('build/'))).toEqual([
      ...['build/1/download_failures', 'build/1/downloads', 'build/1/installs', 'build/1/rollbacks'],
    ]);
    expect(await send('stats', event('set'))).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await send('stats', Array(201).fill(event('set')))).toMatchObject({ status: 422 });
    expect(await send('stats', event('set'), 'POST', 'nonsense')).toMatchObject({ status: 401 });
    // The device rolled it back.
    expect(await check()).toMatchObject({ kind: 'up_to_date' });
  });

  it('is not offered the replacement of a recalled build again, once it has rolled that back', async () => {
    const source = await publish(1, '3.1.0');
    const recalled = await publish(2, '3.2.0');
    await recall(recalled, 1);
    await republish(source, 3, '3.2.1', 2);
    const running = { version_name: '3.2.0' };
    expect(await check(running)).toMatchObject({ version: '3.1.0' });
    await send('stats', { ...DEVICE, action: 'update_fail', version_name: '3.1.0' });
    expect(await reported()).toEqual(['build/1/rollbacks', 'build/3/rollbacks']);
    await eventually(async () => (await check(running))['kind'] === 'up_to_date');
    expect(await check({ ...running, device_id: randomUUID() })).toMatchObject({ version: '3.1.0' });
  });

  it('reports of the channel that the key is for, and of the one that the device has chosen', async () => {
    await publish(1, '3.1.0');
    await publish(2, '3.1.0', { channel: 'beta.1' });
    await publish(3, '4.0.0', { channel: 'staging' });
    const own = await stores.createKey(2, 1);
    const restrictions = { channels: ['production', 'beta'] };
    const { position } = await stores.append('apiKeys-1', { type: 'ApiKeyRestricted', data: { id: 2, restrictions } });
    expect(await stores.members.applied('apiKeys-1', position)).toBe(true);
    const events = ['4.0.0', '3.1.0'].map((version_name) => ({ ...DEVICE, action: 'set_fail', version_name }));
    expect(await send('stats', events, 'POST', own)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await reported()).toEqual(['build/1/install_failures']);
    const headers = { 'X-API-Key': key, 'X-Device-ID': DEVICE.device_id, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ channel: 'beta' });
    expect((await fetch(`${plane.address}/api/v1/channel`, { method: 'POST', headers, body })).status).toBe(200);
    await send('stats', { ...DEVICE, action: 'update_fail', version_name: '3.1.0' });
    expect(await reported()).toEqual(['build/1/install_failures', 'build/2/rollbacks']);
    expect((await send('channel', DEVICE, 'PUT')).body).toMatchObject({ channel: 'beta' });
  });

  it('counts a request of statistics against its device, also if it reports nothing', async () => {
    const limited = await startDevicePlane(stores, { limitDevicePerMinute: 2 });
    await limited.index.open();
    const events = Array.from({ length: 200 }, () => ({ ...DEVICE, action: 'download_10', version_name: '3.1.0' }));
    const statuses = [];
    for (let sent = 0; sent < 3; sent += 1) {
      const address = `${limited.address}/compat/capgo/${key}/stats`;
      const headers = { 'Content-Type': 'application/json' };
      statuses.push((await fetch(address, { method: 'POST', headers, body: JSON.stringify(events) })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    await limited.close();
  });

  it('never fails, and answers the same with and without the router, whatever is sent', async () => {
    await publish(1, '3.1.0');
    const routed = await startDevicePlane(stores, { fastPath: false, publicUrl: plane.address });
    await routed.index.open();
    const member = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('builtin', '3.1.0', 'beta', 'ios'),
      fc.jsonValue(),
    );
    const names = ['platform', 'device_id', 'version_name', 'version_build', 'defaultChannel', 'action', 'channel'];
    const info = fc.record(Object.fromEntries(names.map((name) => [name, member])), { requiredKeys: [] });
    const bodies = fc.oneof(
      info,
      info.map((more) => ({ ...DEVICE, ...more })),
      fc.jsonValue(),
      fc.array(info, { maxLength: 3 }),
    );
    const texts = fc.oneof({ weight: 5, arbitrary: bodies.map((body) => JSON.stringify(body)) }, fc.string());
    const calls = fc.constantFrom('POST updates', 'POST stats', 'POST channel', 'PUT channel', 'DELETE channel');
    await fc.assert(
      fc.asyncProperty(
        calls,
        texts,
        fc.constantFrom(key, `${key}-staging`, `${key}-%20`, 'x'),
        async (call, body, segment) => {
          const [method = '', path = ''] = call.split(' ');
          const headers = { 'Content-Type': 'application/json' };
          const ask = async ({ address }: DevicePlane) => {
            const response = await fetch(`${address}/compat/capgo/${segment}/${path}`, { method, headers, body });
            return [response.status, await response.json()] as [number, Record<string, unknown>];
          };
          const [status, told] = await ask(plane);
          expect([200, 400, 401, 413, 422]).toContain(status);
          if (path === 'updates') {
            expect([status, told['url'] === undefined]).toEqual([200, told['version'] !== '3.1.0']);
            expect(await ask(routed)).toEqual([status, told]);
          }
        },
      ),
      { numRuns: 100 },
    );
    expect([...plane.logger.lines, ...routed.logger.lines]).toEqual([]);
    await routed.close();
  });
});
