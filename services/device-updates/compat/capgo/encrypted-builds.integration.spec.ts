import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ElectronUpdater } from '@capgo/electron-updater';
import type { BuildFacts } from '@sluice/contracts';
import type { Delivery } from '@sluice/kernel';
import { updateChecks } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { decryptAsCapgo, encryptForCapgo, newCapgoKeys } from '../../../../test/support/capgo-encryption';
import {
  buildFacts,
  openDeviceStores,
  rollOut,
  startDevicePlane,
  withBundle,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { zipOf } from '../../../../test/support/zip';
import { PLANES } from '../../http/compat-planes';

const keys = newCapgoKeys();
const otherKeys = newCapgoKeys();
let stores: DeviceStores;
let plane: DevicePlane;
let key: string;

beforeEach(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  plane = await startDevicePlane(stores);
  await plane.index.open();
});
afterEach(async () => {
  await plane.close();
  await stores.close();
});

async function publish(build: BuildFacts): Promise<BuildFacts> {
  await stores.publish(build);
  await rollOut(stores, build, 100);
  return build;
}
const publishEncrypted = async (id: number, version: string, by = keys, more: Partial<BuildFacts> = {}) => {
  const zip = await zipOf({ 'index.html': version });
  const { file, delivery } = encryptForCapgo(zip, by);
  const build = await withBundle(stores.objects, buildFacts(id, version, { delivery, ...more }), file);
  return { build: await publish(build), zip, file, delivery };
};
const publishPlain = async (id: number, version: string, more: Partial<BuildFacts> = {}) =>
  publish(await withFiles(stores.objects, buildFacts(id, version, more), await zipOf({ 'index.html': version })));

const compat = (name: string) => `${plane.address}/compat/${name}`;
const DEVICE = {
  ...{ platform: 'ios', device_id: randomUUID(), app_id: 'app.1', version_build: '1.0.0', version_name: 'builtin' },
  plugin_version: '8.51.14',
};
async function check(more: object = {}): Promise<Record<string, unknown>> {
  const response = await fetch(`${compat('capgo')}/${key}/updates`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ ...DEVICE, ...more }),
  });
  return (await response.json()) as Record<string, unknown>;
}
const download = async ({ url }: Record<string, unknown>) =>
  Buffer.from(await (await fetch(url as string)).arrayBuffer());

describe('an encrypted build', () => {
  it('reaches clients of Capgo byte for byte, with what they decrypt and verify it by', async () => {
    const { build, file, zip, delivery } = await publishEncrypted(1, '1.1.0');
    const { session_key, checksum } = delivery.capgo;
    const offer = await check({ key_id: keys.keyId });
    expect(offer).toEqual({
      ...{ version: '1.1.0', session_key, checksum },
      url: expect.stringMatching(/\/api\/v1\/bundles\/1\/download/) as string,
    });
    const received = await download(offer);
    expect(received.equals(file)).toBe(true);
    expect(decryptAsCapgo(received, { session_key, checksum }, keys).equals(zip)).toBe(true);
    expect(() => decryptAsCapgo(received, { session_key, checksum }, otherKeys)).toThrow();

    const manifest = [{ file_name: 'index.html', file_hash: build.checksum, download_url: 'https://example.com' }];
    const sizes = await fetch(`${compat('capgo')}/${key}/updates/manifest_size`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ ...DEVICE, version: '1.1.0', manifest }),
    });
    expect([sizes.status, await sizes.json()]).toEqual([200, expect.objectContaining({ knownFiles: 0 })]);
    expect(plane.logger.lines).toEqual([]);
  });

  it('is not offered to a client with another key, but to one that sends no key', async () => {
    await publishPlain(1, '1.1.0');
    await publishEncrypted(2, '1.2.0', otherKeys);
    const offered = updateChecks.offered;
    expect(await check({ key_id: keys.keyId })).toEqual({
      ...{ error: 'key_id_mismatch', kind: 'blocked', version: '1.2.0' },
      message: `Version 1.2.0 is encrypted for the key ${otherKeys.keyId}, which is not that of the app.`,
    });
    expect(updateChecks.offered).toBe(offered);
    for (const more of [{}, { key_id: '' }, { key_id: otherKeys.keyId }]) {
      expect(await check(more)).toMatchObject({ version: '1.2.0', url: expect.any(String) as string });
    }
    const { delivery } = encryptForCapgo(Buffer.from('zip'), keys);
    const { session_key, checksum } = delivery.capgo;
    await publish(buildFacts(3, '1.3.0', { delivery: { capgo: { session_key, checksum } } }));
    expect(await check({ key_id: keys.keyId })).toMatchObject({ version: '1.3.0', session_key });
  });

  it('is what a recall sends clients back to', async () => {
    const { build, delivery } = await publishEncrypted(1, '1.1.0');
    const { build: bad } = await publishEncrypted(2, '1.2.0');
    const { buildId, appId, channel, version, checksum } = bad;
    const recalled = { buildId, appId, channel, version, checksum, reason: 'It is broken.', target: 1 };
    await stores.change(bad, { type: 'BuildRecalled', data: recalled });
    const { bundleId } = buildFacts(3, '1.2.1');
    const copy = { ...build, buildId: 3, bundleId, version: '1.2.1', recallOf: 2, republishedFromId: 1 };
    await stores.change(build, { type: 'BuildRepublished', data: { ...copy, republishedVersion: '1.1.0' } });
    const { session_key } = delivery.capgo;
    expect(await check({ version_name: '1.2.0', key_id: keys.keyId })).toMatchObject({ version: '1.1.0', session_key });
  });

  it('is what a recall sends clients back to that cannot decrypt the newest build', async () => {
    const { build, delivery } = await publishEncrypted(1, '1.1.0');
    const { build: bad } = await publishEncrypted(2, '1.2.0');
    await publishEncrypted(3, '1.3.0', otherKeys);
    const running = { version_name: '1.2.0', key_id: keys.keyId };
    expect(await check(running)).toMatchObject({ error: 'key_id_mismatch', version: '1.3.0' });
    const { buildId, appId, channel, version, checksum } = bad;
    const recalled = { buildId, appId, channel, version, checksum, reason: 'It is broken.' };
    await stores.change(bad, { type: 'BuildRecalled', data: { ...recalled, target: 'embedded' } });
    expect(await check(running)).toEqual({ version: 'builtin' });

    await stores.change(bad, { type: 'BuildUnrecalled', data: { buildId } });
    await stores.change(bad, { type: 'BuildRecalled', data: { ...recalled, target: 1 } });
    const { bundleId } = buildFacts(4, '1.2.1');
    const copy = { ...build, buildId: 4, bundleId, version: '1.2.1', recallOf: 2, republishedFromId: 1 };
    await stores.change(build, { type: 'BuildRepublished', data: { ...copy, republishedVersion: '1.1.0' } });
    const { session_key } = delivery.capgo;
    expect(await check(running)).toMatchObject({ version: '1.1.0', session_key });
    expect(await check({ ...running, key_id: otherKeys.keyId })).toMatchObject({
      version: '1.3.0',
      url: expect.any(String) as string,
    });
    expect(await check({ key_id: keys.keyId })).toMatchObject({ error: 'key_id_mismatch', version: '1.3.0' });
  });

  const checks: Readonly<Record<string, () => Promise<Response>>> = {
    sluice: () =>
      fetch(`${plane.address}/api/v1/updates/check`, {
        headers: {
          ...{ 'X-API-Key': key, 'X-Device-ID': 'device', 'X-Platform': 'ios', 'X-Current-Version': '1.0.0' },
          'X-Native-Fingerprint': '1.0.0',
        },
      }),
    capawesome: () =>
      fetch(
        `${compat('capawesome')}/v1/apps/${key}/bundles/latest?appVersionName=1.0.0&deviceId=device&platform=1&bundleId=`,
      ),
    capgo: () =>
      fetch(`${compat('capgo')}/${key}/updates`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(DEVICE) },
      }),
    codepush: () =>
      fetch(
        `${compat('codepush')}/v0.1/public/codepush/update_check?deployment_key=${key}&app_version=1.0.0&client_unique_id=d`,
      ),
    expo: () =>
      fetch(`${compat('expo')}/${key}`, {
        headers: {
          ...{ 'Expo-Protocol-Version': '1', 'Expo-Platform': 'ios', 'Expo-Runtime-Version': '1.0.0' },
          ...{ Accept: 'multipart/mixed,application/expo+json,application/json', 'EAS-Client-ID': randomUUID() },
        },
      }),
    'hot-updater': () =>
      fetch(
        `${compat('hot-updater')}/${key}/app-version/ios/1.0.0/production/00000000-0000-0000-0000-000000000000/00000000-0000-0000-0000-000000000000`,
      ),
    'native-update': () => fetch(`${compat('native-update')}/${key}/check?channel=production`),
  };

  it('has a check of every plane below', () => {
    expect(Object.keys(checks).toSorted()).toEqual([...PLANES, 'sluice'].toSorted());
  });

  it.each(Object.keys(checks))('is offered to no client but those of Capgo: %s', async (name) => {
    const sends = checks[name]!;
    const fingerprint = name === 'sluice' || name === 'expo' ? { fingerprint: '1.0.0' } : {};
    const counted = async () => {
      const { offered, nothing } = updateChecks;
      const { status } = await sends();
      return { status, offered: updateChecks.offered - offered, nothing: updateChecks.nothing - nothing };
    };
    await publishEncrypted(2, '2.0.0', keys, { ...fingerprint, mandatory: true });
    const isCapgo = name === 'capgo' ? 1 : 0;
    expect(await counted()).toMatchObject({ offered: isCapgo, nothing: 1 - isCapgo });
    // What is for all clients is found by the same request.
    const plain = await publishPlain(1, '1.5.0', fingerprint);
    expect(await counted()).toMatchObject({ offered: 1, nothing: 0 });
    if (name !== 'sluice') return;
    expect(await (await sends()).json()).toMatchObject({ version: plain.version, mandatory: false });
  });

  it('is decrypted by the published client, after the published CLI encrypted it', async () => {
    const folder = temporaryDirectory();
    await writeFile(join(folder, 'app.zip'), await zipOf({ 'index.html': 'encrypted' }));
    const files = {
      key: keys.privateKey,
      'package.json': JSON.stringify({ dependencies: { '@capgo/capacitor-updater': '8.51.14' } }),
      'capacitor.config.json': JSON.stringify({ appId: 'app.1', plugins: { CapacitorUpdater: { publicKey: 'set' } } }),
      'node_modules/@capgo/capacitor-updater/package.json': JSON.stringify({ version: '8.51.14' }),
      'builtin.html': 'builtin',
    };
    await mkdir(join(folder, 'node_modules/@capgo/capacitor-updater'), { recursive: true });
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const zip = await readFile(join(folder, 'app.zip'));
    const { checksum: ofZip } = await withBundle(stores.objects, buildFacts(9, '0.0.1'), zip);
    const CLI = join(__dirname, '../../../../node_modules/@capgo/cli/dist/index.js');
    const args = [CLI, 'bundle', 'encrypt', 'app.zip', ofZip, '--key', 'key', '--json'];
    const env = { HOME: folder, PATH: process.env['PATH'], CAPGO_DISABLE_TELEMETRY: '1', CAPGO_DISABLE_POSTHOG: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    const printed = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Record<string, string>;
    const { ivSessionKey = '', checksum = '', filename = '' } = printed;
    const delivery: Delivery = { capgo: { session_key: ivSessionKey, checksum, key_id: keys.keyId } };
    const file = await readFile(join(folder, filename));
    await publish(await withBundle(stores.objects, buildFacts(1, '1.1.0', { delivery }), file));

    process.env['TEST_USER_DATA'] = folder;
    process.env['TEST_APP_VERSION'] = '1.0.0';
    let shown = '';
    const window = { on: () => window, loadFile: async (path: string) => void (shown = await readFile(path, 'utf8')) };
    const start = async (publicKey: string) => {
      const base = `${compat('capgo')}/${key}`;
      const updater = new ElectronUpdater({
        ...{ appId: 'app.1', version: '1.0.0', autoUpdate: false, disableJSLogging: true, publicKey },
        ...{ updateUrl: `${base}/updates`, statsUrl: `${base}/stats`, channelUrl: `${base}/channel` },
      });
      await updater.initialize(window, join(folder, 'builtin.html'));
      return updater;
    };
    expect(await (await start(otherKeys.publicKey)).getLatest()).toMatchObject({ error: 'key_id_mismatch' });
    const updater = await start(keys.publicKey);
    const latest = (await updater.getLatest()) as unknown as Record<
      'url' | 'version' | 'session_key' | 'checksum',
      string
    >;
    expect(latest).toMatchObject({ version: '1.1.0', session_key: ivSessionKey, checksum });
    // It reads the session key by another name than the other clients, and no checksum that is encrypted by RSA.
    const { url, version, session_key: sessionKey } = latest;
    const { id } = await updater.download({ url, version, sessionKey });
    await updater.set({ id });
    await updater.notifyAppReady();
    expect([shown, (await updater.current()).bundle.version]).toEqual(['encrypted', '1.1.0']);
    expect(decryptAsCapgo(await download(latest), delivery.capgo, keys).equals(zip)).toBe(true);
  });
});
