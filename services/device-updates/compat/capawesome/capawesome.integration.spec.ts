import { createVerify, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildFacts } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import {
  buildFacts,
  isOffered,
  openDeviceStores,
  rollOut,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { zipOf } from '../../../../test/support/zip';
import { deviceUpdatesSettings } from '../../config/device-updates.settings';
import { deviceReports } from '../../reports/device-reports';
import type { ServedBuild } from '../../serving/served-builds';
import { capawesomeId } from './capawesome.routes';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
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

async function publish(id: number, version: string, more: Partial<BuildFacts> = {}): Promise<BuildFacts> {
  const zip = await zipOf({ 'index.html': version });
  const signature = sign('sha256', zip, privateKey).toString('base64');
  const build = await withBundle(stores.objects, buildFacts(id, version, { signature, ...more }), zip);
  await stores.publish(build);
  await stores.change(build, { type: 'RolloutChanged', data: { buildId: id, rolloutPercentage: 100, enabled: true } });
  return build;
}

const idOf = (facts: BuildFacts) => capawesomeId({ facts } as ServedBuild);
const recall = (build: BuildFacts, target: number | 'embedded') => {
  const { buildId, appId, channel, version, checksum } = build;
  const data = { buildId, appId, channel, version, checksum, reason: 'It is broken.', target };
  return stores.change(build, { type: 'BuildRecalled', data });
};

/** As the clients for Android and iOS send it. */
const DEVICE = {
  ...{ appVersionCode: '7', appVersionName: '2.0.0', bundleId: '', channelName: '', customId: '' },
  ...{ deviceId: randomUUID() as string, osVersion: '17', platform: '1', pluginVersion: '8.2.0' },
};
const get = async (path: string, query: Record<string, string>, ofKey = key) => {
  const response = await fetch(
    `${plane.address}/compat/capawesome/v1/apps/${ofKey}/${path}?${new URLSearchParams(query).toString()}`,
    { headers: { 'X-Capawesome-Device-Id': DEVICE.deviceId } },
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const check = (more: Partial<typeof DEVICE> = {}, ofKey = key) => get('bundles/latest', { ...DEVICE, ...more }, ofKey);

it('offers the zip with what the client verifies, every member of the type that it decodes', async () => {
  const build = await publish(1, '1.1.0', { releaseNotes: 'Größer' });
  const { status, body } = await check();
  expect(status).toBe(200);
  expect(body).toEqual({
    ...{ artifactType: 'zip', bundleId: idOf(build), checksum: build.checksum, channelName: 'production' },
    url: expect.stringMatching(/\/api\/v1\/bundles\/1\/download/) as string,
    signature: build.signature,
    customProperties: { version: '1.1.0', releaseNotes: 'Größer' },
  });
  const zip = Buffer.from(await (await fetch(body['url'] as string)).arrayBuffer());
  expect(
    createVerify('sha256')
      .update(zip)
      .verify(publicKey, body['signature'] as string, 'base64'),
  ).toBe(true);
  const unsigned = await publish(2, '1.2.0', { signature: null });
  const offer = (await check()).body;
  expect([offer['bundleId'], 'signature' in offer]).toEqual([idOf(unsigned), false]);
});

it('knows the version of a device by its bundle, and reports what it sees of it', async () => {
  const build = await publish(1, '1.1.0');
  expect(await check({ bundleId: idOf(build) })).toEqual({
    ...{ status: 404, body: { code: 'NO_UPDATE', message: 'No update is available.' } },
  });
  const reported = async () =>
    (await stores.documents.rows(deviceReports).find()).map(({ metric }) => metric.replace(/ .*/, '')).sort();
  await eventually(async () => (await reported()).length === 3);
  expect(await reported()).toEqual(['build/1/downloads', 'build/1/installs', 'version/1.1.0']);
  expect((await stores.documents.rows(deviceReports).find()).every(({ inferred }) => inferred)).toBe(true);
  await check({ bundleId: idOf(build) });
  const newer = await publish(2, '1.2.0');
  expect((await check({ bundleId: idOf(build) })).body).toMatchObject({ bundleId: idOf(newer) });
  // A bundle of another server, and none.
  for (const bundleId of ['cap-1', '']) expect((await check({ bundleId })).status).toBe(200);
  expect((await reported()).filter((metric) => metric.startsWith('build/'))).toHaveLength(2);
});

it('has the paths of the guide, where the app key is the app id', async () => {
  await publish(1, '1.1.0');
  const page = await readFile(join(__dirname, '../../../../docs/guides/coming-from-appflow.md'), 'utf8');
  const [, setting = '', from = ''] = /`COMPAT_HOSTS`\]\S+ to `(\S+)`\. .* serves `(\S+)…` of that/.exec(page) ?? [];
  const [, appId, host = ''] = /appId: '(\w+)',\s+serverDomain: '(.+)',/.exec(page) ?? [];
  expect([from, appId]).toEqual(['/v1/apps/', 'APP_KEY']);
  const { COMPAT_HOSTS: hosts } = deviceUpdatesSettings.parse({ COMPAT_HOSTS: setting });
  const query = new URLSearchParams(DEVICE).toString();
  const path = `${hosts.get(host)}${from}${key}/bundles/latest?${query}`;
  expect((await fetch(`${plane.address}${path}`)).status).toBe(200);
});

it('follows native versions, platforms and channels', async () => {
  await publish(1, '1.1.0', { platform: 'android' });
  await publish(2, '1.2.0', { nativeRange: '>=3.0.0' });
  await publish(3, '4.0.0', { channel: 'beta.1' });
  await publish(4, '5.0.0', { channel: 'staging' });
  const versionOf = async (more: Partial<typeof DEVICE>, ofKey = key) => {
    const { status, body } = await check(more, ofKey);
    return status === 200 ? (body['customProperties'] as { version: string }).version : status;
  };
  expect(await versionOf({})).toBe(404);
  expect(await versionOf({ platform: '0' })).toBe('1.1.0');
  expect(await versionOf({ appVersionName: '3.1.0' })).toBe('1.2.0');
  expect(await versionOf({ channelName: 'beta' })).toBe('4.0.0');
  expect(await versionOf({}, `${key}-staging`)).toBe('5.0.0');
  expect(await versionOf({ channelName: 'nope' })).toBe(404);
  expect(await get('channels', {})).toEqual({ status: 200, body: [{ id: '1', name: 'beta' }] });
  expect((await get('channels', { query: 'x' })).body).toEqual([]);
  expect((await get('channels', { offset: '1' })).body).toEqual([]);
});

it('takes no part in a rollout that its device is not in', async () => {
  const build = await publish(1, '1.1.0');
  await rollOut(stores, build, 50);
  const ids = Array.from({ length: 20 }, (_, number) => `device-${number}`);
  const offered = await Promise.all(ids.map(async (id) => [id, (await check({ deviceId: id })).status === 200]));
  expect(offered).toEqual(await Promise.all(ids.map(async (id) => [id, await isOffered(plane, key, id)])));
  expect(new Set(offered.map(([, isIn]) => isIn)).size).toBe(2);
});

it('is not moved back by a deletion, and is moved by the recall of a deleted build', async () => {
  const older = await publish(1, '1.1.0');
  const [newer, bad] = [await publish(2, '1.2.0'), await publish(3, '1.3.0')];
  const remove = (build: BuildFacts) =>
    stores.change(build, { type: 'BuildDeleted', data: { buildId: build.buildId, objectKey: 'o', jobId: null } });
  await remove(newer);
  await stores.change(bad, { type: 'BuildPaused', data: { buildId: 3 } });
  expect((await check({ bundleId: idOf(newer) })).status).toBe(404);
  await recall(bad, 1);
  const { bundleId } = buildFacts(4, '1.3.1');
  const copy = { ...older, buildId: 4, bundleId, version: '1.3.1', recallOf: 3 };
  await stores.change(older, {
    type: 'BuildRepublished',
    data: { ...copy, republishedFromId: 1, republishedVersion: '1.1.0' },
  });
  await remove(bad);
  expect((await check({ bundleId: idOf(bad) })).body).toMatchObject({ bundleId: idOf(older) });
});

it('goes back to the older build itself because of a recall, and only because of one', async () => {
  const older = await publish(1, '1.1.0');
  const newer = await publish(2, '1.2.0');
  await stores.change(newer, { type: 'BuildPaused', data: { buildId: 2 } });
  expect((await check({ bundleId: idOf(newer) })).status).toBe(404);
  await recall(newer, 1);
  const { bundleId } = buildFacts(3, '1.2.1');
  const copy = { ...older, buildId: 3, bundleId, version: '1.2.1', recallOf: 2 };
  await stores.change(older, {
    type: 'BuildRepublished',
    data: { ...copy, republishedFromId: 1, republishedVersion: '1.1.0' },
  });
  expect((await check({ bundleId: idOf(newer) })).body).toMatchObject({ bundleId: idOf(older) });
  expect((await check({ bundleId: idOf(older) })).status).toBe(404);
  // There is no way back to the bundle in the native app.
  await recall(older, 'embedded');
  expect((await check({ bundleId: idOf(older) })).status).toBe(404);
});

it('rejects with a status and a body of its own, which no client takes for an update', async () => {
  await publish(1, '1.1.0');
  const message = expect.any(String) as string;
  expect(await check({}, 'nonsense')).toEqual({ status: 401, body: { code: 'INVALID_API_KEY_FORMAT', message } });
  expect(await get('channels', {}, 'nonsense')).toMatchObject({ status: 401 });
  expect(await check({ deviceId: '' })).toMatchObject({ status: 400, body: { code: 'MISSING_DEVICE_ID' } });
  expect(await check({ deviceId: 'x'.repeat(300) })).toMatchObject({
    ...{ status: 422, body: { message: expect.stringContaining('255') as string } },
  });
  expect((await get('nothing', {})).status).toBe(404);
  const limited = await startDevicePlane(stores, { limitDevicePerMinute: 1 });
  await limited.index.open();
  const ask = () =>
    fetch(`${limited.address}/compat/capawesome/v1/apps/${key}/bundles/latest?deviceId=d&platform=0`).then(
      ({ status, headers }) => [status, headers.has('retry-after')],
    );
  expect([await ask(), await ask()]).toEqual([
    [200, false],
    [429, true],
  ]);
  await limited.close();
  expect(plane.logger.lines).toEqual([]);
});
