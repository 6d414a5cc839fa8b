import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcquisitionManager } from 'code-push/script/acquisition-sdk';
import { type BuildFacts, credentialHash } from '@sluice/contracts';
import fc from 'fast-check';
import { eventually } from '@sluice/testing';
import { CodePushDevice, type CodePushConfig, hashOf } from '../../../../test/support/codepush-device';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { zipOf } from '../../../../test/support/zip';
import { deviceReports } from '../../reports/device-reports';

jest.setTimeout(30_000);

type Contents = Readonly<Record<string, string | Buffer>>;

const BUNDLES = ['CodePush/index.android.bundle', 'CodePush/main.jsbundle'];
/** Does not compress, so that a difference is smaller than the whole. */
const PICTURE = randomBytes(20_000);

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;

let pathInGuide: string;
beforeAll(async () => {
  const page = await readFile(join(__dirname, '../../../../docs/guides/coming-from-codepush.md'), 'utf8');
  const paths = [...page.matchAll(/>https:\/\/updates\.example\.com(\/.*)<\/string>/g)].map(([, path = '']) => path);
  expect(new Set(paths).size).toBe(1);
  pathInGuide = paths[0] ?? '';
});

beforeEach(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  plane = await startDevicePlane(stores, { limitDevicePerMinute: 100_000 });
  await plane.index.open();
});

afterEach(async () => {
  await plane.close();
  await stores.close();
});

const packageOf = (script: string, more: Contents = {}): Contents => ({
  ...Object.fromEntries(BUNDLES.map((path) => [path, script])),
  'CodePush/assets/picture.png': PICTURE,
  ...more,
});

async function publish(
  id: number,
  version: string,
  contents: Contents = packageOf(version),
  more: Partial<BuildFacts> = {},
): Promise<BuildFacts> {
  const build = await withFiles(stores.objects, buildFacts(id, version, more), await zipOf(contents));
  await stores.publish(build);
  const { rolloutPercentage } = build;
  await stores.change(build, { type: 'RolloutChanged', data: { buildId: id, rolloutPercentage, enabled: true } });
  return build;
}

async function recall(build: BuildFacts, target: BuildFacts | 'embedded', republishedId: number): Promise<void> {
  const { buildId, appId, channel, version, checksum } = build;
  const of = typeof target === 'string' ? target : target.buildId;
  const facts = { buildId, appId, channel, version, checksum };
  await stores.change(build, { type: 'BuildRecalled', data: { ...facts, reason: 'It is broken.', target: of } });
  if (typeof target === 'string') return;
  const { bundleId } = buildFacts(republishedId, '9.9.9');
  const copy = { ...target, buildId: republishedId, bundleId, version: `${version.slice(0, -1)}1`, recallOf: buildId };
  await stores.change(build, {
    type: 'BuildRepublished',
    data: { ...copy, republishedFromId: target.buildId, republishedVersion: target.version },
  });
}

/** What was reported, as `build/1/installs`. */
async function reported(): Promise<string[]> {
  const rows = await stores.documents.rows(deviceReports).find();
  return rows.map(({ metric }) => metric).sort();
}
const untilReported = (metric: string) => eventually(async () => (await reported()).includes(metric));

/** That of the guide, with this server in place of the reader's. */
const serverUrl = () => plane.address + pathInGuide;

/** A phone with the published client. */
function phone(more: Partial<CodePushConfig> = {}, appVersion = '1.0'): CodePushDevice {
  return new CodePushDevice({ os: 'android', serverUrl: serverUrl(), deploymentKey: key, ...more }, appVersion);
}

/** Starts the app, lets it update, and starts what it got. */
async function update(device: CodePushDevice): Promise<void> {
  const client = device.start();
  expect(await client.sync()).toBe(client.SyncStatus.UPDATE_INSTALLED);
  await device.start().notifyAppReady();
  await eventually(() => device.reported?.endsWith(`:${device.current?.metadata.label}`));
}

async function isUpToDate(device: CodePushDevice): Promise<void> {
  const client = device.start();
  expect(await client.sync()).toBe(client.SyncStatus.UP_TO_DATE);
}

describe('react-native-code-push 9.0.1', () => {
  it.each(['ios', 'android'] as const)('updates on %s, in parts from its second update on, and reports', async (os) => {
    const first = await publish(1, '1.1.0', packageOf('first', { 'CodePush/assets/old.png': 'old' }), {
      releaseNotes: 'Größer',
    });
    const device = phone({ os }, '1.0');
    const client = device.start();
    expect(await client.sync()).toBe(client.SyncStatus.UPDATE_INSTALLED);
    expect(device.current?.metadata).toMatchObject({
      ...{ label: 'v1-1.1.0', appVersion: '1.0', description: 'Größer', packageSize: first.size, isMandatory: false },
    });
    // The native version is that of the binary, to the byte: else the start would have deleted the update.
    await device.start().notifyAppReady();
    expect(device.text('CodePush/main.jsbundle')).toBe('first');
    await eventually(() => device.reported === `${key}:v1-1.1.0`);
    await isUpToDate(device);
    expect(await reported()).toEqual(['build/1/downloads', 'build/1/installs', 'version/1.1.0 all 1.0.0']);

    await publish(2, '1.2.0', packageOf('second', { 'CodePush/assets/größer.png': 'new' }));
    await update(device);
    expect(device.text('CodePush/main.jsbundle')).toBe('second');
    expect([...device.current!.files.keys()].sort()).toEqual([
      ...['CodePush/assets/größer.png', 'CodePush/assets/picture.png', ...BUNDLES],
    ]);
    expect(device.downloads.map(({ isDiff }) => isDiff)).toEqual([false, true]);
    expect(device.downloads[1]!.size).toBeLessThan(1_000);
    const rows = await stores.documents.rows(deviceReports).find();
    expect(rows.find(({ metric }) => metric === 'build/2/installs')).toMatchObject({ previousVersion: '1.1.0' });
    await isUpToDate(device);
  });

  it('installs as mandatory what is, or what skips something that is', async () => {
    await publish(1, '1.1.0', packageOf('first'), { mandatory: true });
    await publish(2, '1.2.0', packageOf('second'));
    const device = phone();
    await device.start().sync();
    expect(device.downloads).toMatchObject([{ isMandatory: true }]);
    await device.start().notifyAppReady();
    await publish(3, '1.3.0', packageOf('third'));
    await update(device);
    expect(device.downloads).toMatchObject([{}, { isMandatory: false, isDiff: true }]);
  });

  it('reports a package that does not start, and is not offered it again', async () => {
    await publish(1, '1.1.0');
    await publish(2, '1.2.0');
    const device = phone();
    const client = device.start();
    await client.sync();
    device.start();
    const restarted = device.start();
    expect(device.current).toBeUndefined();
    await restarted.notifyAppReady();
    await untilReported('build/2/rollbacks');
    // The one before it is offered to this device, and the broken one to every other.
    await update(device);
    expect(device.text('CodePush/main.jsbundle')).toBe('1.1.0');
    const other = phone({ clientUniqueId: 'device-2' });
    await update(other);
    expect(other.text('CodePush/main.jsbundle')).toBe('1.2.0');
  });

  it('repeats a report that did not arrive when the app comes back', async () => {
    await publish(1, '1.1.0');
    const device = phone();
    await device.start().sync();
    const client = device.start();
    device.isOffline = true;
    await client.notifyAppReady();
    await eventually(() => device.requests.some(({ body }) => body?.includes('DeploymentSucceeded') === true));
    expect(await reported()).not.toContain('build/1/installs');
    device.isOffline = false;
    // The client listens for it only once the first report has failed.
    await eventually(async () => {
      await device.resume();
      return (await reported()).includes('build/1/installs');
    });
  });

  it('goes without its update after a new version from the store, and says which range a build needs', async () => {
    await publish(1, '1.1.0', packageOf('old'), { nativeRange: '>=1.0.0 <2.0.0' });
    const device = phone();
    await update(device);
    device.installBinary('2.0');
    await isUpToDate(device);
    expect(device.current).toBeUndefined();
    await eventually(() => device.reported === '2.0');
    const bodies = device.requests.map(({ body = '{}' }) => JSON.parse(body) as unknown);
    const ofNewBinary = { app_version: '2.0', previous_label_or_app_version: 'v1-1.1.0' };
    expect(bodies).toContainEqual(expect.objectContaining(ofNewBinary));
    await publish(2, '2.1.0', packageOf('new'), { nativeRange: '>=2.1.0' });
    let range = '';
    const client = device.start();
    await client.sync({}, undefined, undefined, ({ appVersion }) => (range = appVersion));
    expect(range).toBe('>=2.1.0');
    device.installBinary('2.1');
    await update(device);
    expect(device.current?.metadata).toMatchObject({
      appVersion: '2.1',
      label: expect.stringMatching(/-2\.1\.0$/) as string,
    });
  });

  it('goes back to the older package itself because of a recall, and to nothing for another reason', async () => {
    const older = await publish(1, '1.1.0');
    const newer = await publish(2, '1.2.0');
    const device = phone();
    await update(device);
    for (const type of ['BuildPaused', 'BuildResumed', 'BuildArchived'] as const) {
      await stores.change(newer, { type, data: { buildId: 2 } });
      await isUpToDate(device);
    }
    const { objectKey } = newer;
    const other = phone({ clientUniqueId: 'device-2' });
    other.current = device.current;
    await stores.change(newer, { type: 'BuildDeleted', data: { buildId: 2, objectKey, jobId: null } });
    await isUpToDate(other);
    expect(other.text('CodePush/main.jsbundle')).toBe('1.2.0');

    await recall(newer, older, 3);
    await update(device);
    expect(device.current?.metadata).toMatchObject({ label: 'v1-1.1.0', isMandatory: true });
    expect(await reported()).toContain('build/1/installs');
    await isUpToDate(device);
    await recall(older, 'embedded', 4);
    await isUpToDate(device);
  });

  it('verifies packages that were signed before the upload, also when it gets them in parts', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signed = (
      contents: Contents,
      contentHash = hashOf(new Map(Object.entries(contents).map(asBuffer))),
    ): Contents => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ claimVersion: '1.0.0', contentHash })}`;
      const signature = createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url');
      return { ...contents, 'CodePush/.codepushrelease': `${text}.${signature}` };
    };
    await publish(1, '1.1.0', signed(packageOf('first')));
    const [device, plain] = [phone({ publicKey }), phone({ clientUniqueId: 'device-2' })];
    await update(device);
    await update(plain);
    await publish(2, '1.2.0', signed(packageOf('second')));
    await update(device);
    expect(device.downloads).toMatchObject([{ isDiff: false }, { isDiff: true }]);
    // A signature that the next package no longer has is deleted with the difference.
    await publish(3, '1.3.0', packageOf('third'));
    await update(plain);
    expect([...plain.current!.files.keys()]).not.toContain('CodePush/.codepushrelease');
    await expect(device.start().sync()).rejects.toThrow('no JWT signature');
    await publish(4, '1.4.0', signed(packageOf('fourth'), '0'.repeat(64)));
    await expect(device.start().sync()).rejects.toThrow('code signing check');
  });

  it('keeps its deployment key, which names the platform, or is offered the build of that of the app', async () => {
    await publish(1, '1.1.0', packageOf('ios'), { platform: 'ios' });
    await publish(2, '1.2.0', packageOf('android'), { platform: 'android' });
    const deploymentKey = 'Kx9_former-server_deploy-key';
    const imported = {
      id: 2,
      appId: 1,
      name: 'former',
      preview: '',
      hash: credentialHash(deploymentKey),
      sealId: null,
    };
    const event = { type: 'ApiKeyCreated', data: { ...imported, platform: 'android', channel: 'production' } };
    await stores.append('apiKeys-1', event);
    await eventually(() => plane.index.key(deploymentKey) !== undefined);
    const other = phone({ deploymentKey });
    await update(other);
    expect(other.text('CodePush/main.jsbundle')).toBe('android');
    await eventually(async () => (await reported()).some((metric) => /^version\/.* android 1\.0\.0$/.test(metric)));

    await isUpToDate(phone({ clientUniqueId: 'device-2' }));
    await stores.append('app-1', { type: 'AppEdited', data: { id: 1, platform: 'ios' } });
    await eventually(() => plane.index.app(1)?.platform === 'ios');
    const device = phone({ os: 'ios', clientUniqueId: 'device-3' });
    await update(device);
    expect(device.text('CodePush/main.jsbundle')).toBe('ios');
  });
});

const asBuffer = ([path, content]: readonly [string, string | Buffer]) => [path, Buffer.from(content)] as const;

describe('the SDK code-push 4.2.3', () => {
  /** As the plugins for Cordova and React Native use it. */
  function sdk(deploymentKey: string, more: object = {}) {
    const requester = {
      request(verb: number, url: string, body: unknown, callback?: (error: unknown, response: unknown) => void) {
        const done = typeof body === 'function' ? (body as NonNullable<typeof callback>) : callback!;
        const init =
          verb === 2 ? { method: 'POST', body: body as string, headers: { 'Content-Type': 'application/json' } } : {};
        fetch(url, init)
          .then(async (response) => done(null, { statusCode: response.status, body: await response.text() }))
          .catch((error: unknown) => done(error, null));
      },
    };
    const manager = new AcquisitionManager(requester as never, {
      ...{ appVersion: '1.0.0', clientUniqueId: 'device-1', deploymentKey, serverUrl: `${serverUrl()}/`, ...more },
    });
    return (current: object = {}) =>
      new Promise<unknown>((resolve, reject) => {
        const done = (error: Error | null, found: unknown) => (error === null ? resolve(found) : reject(error));
        manager.queryUpdateWithCurrentPackage({ appVersion: '1.0.0', ...current } as never, done);
      });
  }

  it('takes the deployment from behind the key, and gets an error for what there is not', async () => {
    await publish(1, '1.1.0');
    await publish(2, '2.0.0', packageOf('staging'), { channel: 'staging' });
    expect(await sdk(key)()).toMatchObject({ label: 'v1-1.1.0', appVersion: '1.0.0', deploymentKey: key });
    expect(await sdk(`${key}-staging`)()).toMatchObject({ label: 'v1-2.0.0' });
    const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    await expect(sdk(unknown)()).rejects.toThrow('404: The app API key is unknown or no longer valid.');
    await expect(sdk('nonsense')()).rejects.toThrow('404: ');
    await expect(sdk(`${key}-nope`)()).rejects.toThrow('400: The channel must be');
    await expect(sdk(key)({ appVersion: 'Sunflower' })).rejects.toThrow(
      '400: The app_version must be a version like 1.2.3. Received: Sunflower',
    );
    await expect(sdk(key, { clientUniqueId: 'x'.repeat(256) })()).rejects.toThrow('400: The X-Device-ID header');
  });

  it('is not offered a part of a rollout without an id, nor another native version unless it is a companion', async () => {
    await publish(1, '1.1.0', packageOf('all'), { nativeRange: '<1.5.0' });
    await publish(2, '1.2.0', packageOf('some'), { rolloutPercentage: 99.99 });
    expect(await sdk(key, { clientUniqueId: undefined })()).toMatchObject({ label: 'v1-1.1.0' });
    expect(await sdk(key)()).toMatchObject({ label: 'v4-1.2.0' });
    const anonymous = { clientUniqueId: undefined };
    expect(await sdk(key, anonymous)({ appVersion: '2.0.0' })).toBeNull();
    expect(await sdk(key, { ...anonymous, ignoreAppVersion: true })({ appVersion: '2.0.0' })).toMatchObject({
      label: 'v1-1.1.0',
    });
  });

  it('counts as active once a day, without a report', async () => {
    await publish(1, '1.1.0');
    await sdk(key, { clientUniqueId: undefined })();
    for (const label of ['v7', 'v7', 'v1-1.1.0', 'v1-1.1.0']) await sdk(key)({ label });
    await untilReported('version/0.0.0 all 1.0.0');
    expect(await reported()).toEqual(['version/0.0.0 all 1.0.0']);
    stores.clock.time += 86_400_000;
    await sdk(key)({ label: 'v7' });
    await eventually(async () => (await reported()).length === 2);
  });

  it('recognises a package of another server by its hash, whatever its label', async () => {
    const contents = packageOf('moved');
    const packageHash = hashOf(new Map(Object.entries(contents).map(asBuffer)));
    await publish(1, '1.1.0', packageOf('first'));
    const moved = await publish(2, '1.2.0', contents);
    expect(await sdk(key)({ label: 'v1', packageHash })).toBeNull();
    // A device is not moved back, although the server has nothing but an older build for it.
    await stores.change(moved, { type: 'BuildPaused', data: { buildId: 2 } });
    expect(await sdk(key)({ label: 'v1', packageHash })).toBeNull();
    expect(await sdk(key)({ label: 'v1', packageHash: '0'.repeat(64) })).toMatchObject({ label: 'v1-1.1.0' });
    const same = packageOf('same');
    await stores.change(await publish(4, '1.1.9', same), { type: 'BuildPaused', data: { buildId: 4 } });
    const ofSame = hashOf(new Map(Object.entries(same).map(asBuffer)));
    expect(await sdk(key)({ label: 'v1', packageHash: ofSame })).toBeNull();
    const third = await publish(3, '1.3.0', packageOf('third', { 'CodePush/assets/new.png': 'new' }));
    const inParts = (await sdk(key)({ label: 'v1', packageHash })) as { packageSize: number };
    expect(inParts.packageSize).toBeLessThan(1_000);
    // iOS sends the hash of the bundle in its native app, without a label: nothing that a difference applies to.
    expect(await sdk(key)({ packageHash })).toMatchObject({ packageSize: third.size });
    // A hash that is not that of the label: the package on the device is not the one that it is called.
    expect(await sdk(key)({ label: 'v1-1.1.0', packageHash: '0'.repeat(64) })).toMatchObject({
      packageSize: third.size,
    });
  });

  it('gets the whole package where the difference is not smaller, or can not be applied', async () => {
    const picture = { 'CodePush/picture.png': PICTURE };
    const first = { [BUNDLES[0]!]: 'a', 'CodePush/a/b.png': 'b' };
    await publish(1, '1.1.0', { ...first, ...picture });
    const base = (await sdk(key)()) as { label: string; packageHash: string };
    const second = await publish(2, '1.2.0', { [BUNDLES[0]!]: 'b' });
    expect(await sdk(key)(base)).toMatchObject({ packageSize: second.size });
    const third = await publish(3, '1.3.0', { [BUNDLES[0]!]: 'a', 'CodePush/a': 'a file', ...picture });
    expect(await sdk(key)(base)).toMatchObject({ packageSize: third.size });
    // The same files again are no update.
    await publish(4, '1.4.0', { ...first, ...picture });
    expect(await sdk(key)(base)).toBeNull();
  });
});

describe('the protocol of CodePush', () => {
  const modern = '/v0.1/public/codepush/update_check';
  const ask = async (path: string, query: Record<string, string> | string, of = plane) => {
    const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    const response = await fetch(`${of.address}/compat/codepush${path}?${text}`);
    return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
  };
  const report = async (path: string, body: unknown) => {
    const response = await fetch(serverUrl() + path, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return [response.status, await response.text()];
  };

  it('answers clients from before version 3.0 in their spelling', async () => {
    const build = await publish(1, '1.1.0');
    const { body } = await ask('/updateCheck', { deploymentKey: key, appVersion: '1.0', packageHash: '', label: '' });
    const { updateInfo } = JSON.parse(body) as { readonly updateInfo: Record<string, unknown> };
    expect(updateInfo).toMatchObject({
      ...{ isAvailable: true, updateAppVersion: false, appVersion: '1.0', label: 'v1-1.1.0', isMandatory: false },
      ...{ packageSize: build.size, downloadURL: expect.stringContaining('/api/v1/bundles/1/download?') as string },
      packageHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const { label, packageHash } = updateInfo as Record<string, string>;
    const current = { deploymentKey: key, appVersion: '1.0', packageHash: packageHash!, label: label! };
    expect(JSON.parse((await ask('/updateCheck', current)).body)).toMatchObject({ updateInfo: { isAvailable: false } });
    const device = { deploymentKey: key, clientUniqueId: 'device-1', label };
    expect(await report('/reportStatus/download', device)).toEqual([200, 'OK']);
    const deployed = { ...device, appVersion: '1.0', status: 'DeploymentSucceeded' };
    expect(await report('/reportStatus/deploy', deployed)).toEqual([200, 'OK']);
    expect(await reported()).toEqual(['build/1/downloads', 'build/1/installs', 'version/1.1.0 all 1.0.0']);
  });

  it('answers a check of which half is missing, twice or malformed with text, never with an update', async () => {
    await publish(1, '1.1.0');
    const valid = `deployment_key=${key}&app_version=1.0`;
    expect((await ask(modern, `${valid}&&label=undefined&package_hash=&client_unique_id=`)).body).toContain(
      '"is_available":true',
    );
    for (const query of [
      '',
      `deployment_key=${key}`,
      'app_version=1.0',
      `${valid}&app_version=1.1`,
      'deployment_key=%E0%A4%A',
    ]) {
      expect([query, (await ask(modern, query)).status]).toEqual([query, 400]);
    }
    const rejected = await ask(modern, `deployment_key=${key}&app_version=Größe`);
    expect(rejected).toEqual({
      ...{ status: 400, type: 'text/plain; charset=utf-8' },
      body: 'The app_version must be a version like 1.2.3. Received: Größe',
    });
    expect(await ask('/nothing', '')).toMatchObject({ status: 404, body: 'There is nothing at this address.' });
    expect(plane.logger.lines).toEqual([]);
  });

  it('takes reports of what it does not have, and rejects those that name nothing', async () => {
    await publish(1, '1.1.0');
    const reports = '/v0.1/public/codepush/report_status';
    const device = { deployment_key: key, client_unique_id: 'device-1', app_version: '1.0' };
    for (const label of ['v7', 'v1-9.9.9', 'v9-1.1.0', 'v1-1.1.0:x', '']) {
      expect(await report(`${reports}/download`, { ...device, label })).toEqual([200, 'OK']);
    }
    expect(await report(`${reports}/download`, { ...device, label: 'v1-1.1.0', client_unique_id: undefined })).toEqual([
      200,
      'OK',
    ]);
    expect(
      await report(`${reports}/deploy`, {
        ...device,
        label: 'v1-1.1.0',
        client_unique_id: undefined,
        status: 'DeploymentSucceeded',
      }),
    ).toEqual([200, 'OK']);
    expect((await reported()).filter((metric) => metric.startsWith('build/'))).toEqual([]);
    const message = 'The status must be DeploymentSucceeded or DeploymentFailed. Received: Installed';
    expect(await report(`${reports}/deploy`, { ...device, label: 'v1-1.1.0', status: 'Installed' })).toEqual([
      400,
      message,
    ]);
    expect(await report(`${reports}/deploy`, { ...device, deployment_key: 'nonsense' })).toMatchObject([
      404,
      expect.any(String),
    ]);
    for (const body of ['[]', '7', '{', '', '{}', 'null']) {
      expect([body, (await report(`${reports}/deploy`, body))[0]]).toEqual([body, 400]);
    }
    expect(plane.logger.lines).toEqual([]);
  });

  it('gives out a difference only at the address that a check named, and not once the build is recalled', async () => {
    const first = await publish(1, '1.1.0');
    const second = await publish(2, '1.2.0', packageOf('second'));
    const offer = async (more: Record<string, string>) => {
      const { body } = await ask(modern, { deployment_key: key, app_version: '1.0', ...more });
      return (JSON.parse(body) as { update_info: Record<string, string> }).update_info;
    };
    await stores.change(second, { type: 'BuildPaused', data: { buildId: 2 } });
    const { package_hash = '', label = '' } = await offer({});
    await stores.change(second, { type: 'BuildResumed', data: { buildId: 2 } });
    const { download_url: url = '' } = await offer({ package_hash, label });
    expect(url).toContain('/compat/codepush/changes/2/1?');
    const status = async (of: string) => (await fetch(of)).status;
    expect(await status(url)).toBe(200);
    expect(await status(url.replace('/2/1?', '/1/2?'))).toBe(403);
    expect(await status(url.replace('/2/1?', '/2/2?'))).toBe(403);
    expect(await status(url.replace(/signature=.*/, 'signature=x'))).toBe(403);
    expect(await status(url.replace(/\?.*/, ''))).toBe(403);
    expect(await status(url.replace('/2/1?', '/2/9?'))).toBe(404);
    expect(await status(url.replace('/2/1?', '/x/1?'))).toBe(404);
    await recall(second, first, 3);
    expect(await status(url)).toBe(403);
    expect(plane.logger.lines).toEqual([]);
  });

  it('answers 503 while the files of a build are indexed, and checks of other builds meanwhile', async () => {
    await publish(1, '1.1.0');
    const { body } = await ask(modern, { deployment_key: key, app_version: '1.0' });
    const { label, package_hash } = (JSON.parse(body) as { update_info: Record<string, string> }).update_info;
    const zip = await zipOf(packageOf('second'));
    const build = await withBundle(stores.objects, buildFacts(2, '1.2.0'), zip);
    await stores.publish(build);
    await eventually(() => plane.index.builds.find(2)?.active === true);
    const checked = { deployment_key: key, app_version: '1.0', label: label!, package_hash: package_hash! };
    const waiting = await ask(modern, checked);
    expect([waiting.status, waiting.type]).toEqual([503, 'text/plain; charset=utf-8']);
    await stores.change(build, { type: 'BuildPaused', data: { buildId: 2 } });
    expect((await ask(modern, checked)).body).toContain('"is_available":false');
  });

  it('survives whatever a client sends, and takes the same decision on the fast path and by the router', async () => {
    await publish(1, '1.1.0');
    const routed = await startDevicePlane(stores, {
      fastPath: false,
      limitDevicePerMinute: 100_000,
      publicUrl: plane.address,
    });
    await routed.index.open();
    const text = fc.oneof(
      fc.constantFrom('1.0', '1.1.0', 'v1-1.1.0', 'undefined', '', key, `${key}-staging`, '0'.repeat(64)),
      fc.string(),
    );
    const names = ['deployment_key', 'app_version', 'label', 'package_hash', 'client_unique_id', 'is_companion'];
    const members = fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] });
    const known = members.map((more) => ({ deployment_key: key, app_version: '1.0', ...more }));
    const queries = fc.oneof(
      fc.oneof(known, members).map((each) => new URLSearchParams(each as Record<string, string>).toString()),
      fc.string().map(encodeURI),
    );
    const spellings = fc.constantFrom(
      modern,
      '/updateCheck',
      '/v0.1/public/codepush/report_status/deploy',
      '/reportStatus/download',
      '/changes/1/1',
    );
    await fc.assert(
      fc.asyncProperty(
        spellings,
        queries,
        fc.oneof(
          known.map((each) => JSON.stringify(each)),
          fc.json(),
        ),
        async (path, query, body) => {
          if (path.startsWith('/report') || path.includes('report_')) {
            const [status, answer] = await report(path, body);
            expect([200, 400, 404]).toContain(status);
            expect(answer).not.toContain('update_info');
            return;
          }
          const answer = await ask(path, query);
          expect([200, 400, 403, 404]).toContain(answer.status);
          expect(answer.status === 200 || answer.type === 'text/plain; charset=utf-8').toBe(true);
          if (answer.status === 200) expect(answer.body).toMatch(/"(is_available|isAvailable)":/);
          expect(await ask(path, query, routed)).toEqual(answer);
        },
      ),
      { numRuns: 150 },
    );
    expect([...plane.logger.lines, ...routed.logger.lines]).toEqual([]);
    await routed.close();
  });
});
