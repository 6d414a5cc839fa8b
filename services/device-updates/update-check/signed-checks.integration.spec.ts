import { randomUUID } from 'node:crypto';
import { recordingLogger } from '@sluice/testing';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { signing } from '../../../test/support/key-services';
import { StatementSigner } from '../signing/statement-signer';
import type { KeySignature } from '../signing/signed-statements';

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;
let keyOfOther: string;
let trusted: number[];

const sign = (_appId: number, digest: string): Promise<KeySignature[]> =>
  Promise.resolve(
    trusted.map((key_id) => ({ key_id, signature: Buffer.from(`${key_id}${digest}`).toString('base64') })),
  );

/** As the server signs it: of an offered build's bundle. */
const byServer = (checksum: string) => Buffer.from(`7${checksum}`).toString('base64');

beforeEach(async () => {
  stores = await openDeviceStores();
  trusted = [7];
  await stores.registerApp(1);
  await stores.registerApp(2);
  key = await stores.createKey(1, 1);
  keyOfOther = await stores.createKey(2, 2);
  for (const appId of [1, 2]) {
    const build = buildFacts(appId, '1.1.0', { appId });
    await stores.append(
      `channel-${appId}-production`,
      { type: 'BuildAccepted', data: { ...build, jobId: '01J00000000000000000000000' } },
      { type: 'BuildActivated', data: { buildId: appId, signature: byServer(build.checksum) } },
    );
  }
  await stores.append('signingKey-1', { type: 'SigningKeyCreated', data: {} });
  plane = await startDevicePlane(stores);
  await plane.index.open();
  await plane.statements.open();
});

afterEach(async () => {
  await plane.close();
  await stores.close();
});

async function signStatements(): Promise<void> {
  const { index, statements } = plane;
  const { documents: state, messaging, clock } = stores;
  const logger = recordingLogger();
  const signer = new StatementSigner({
    ...{ index, statements, state, messaging: signing(messaging, sign), settings: { manifestTtlHours: 168 } },
    ...{ clock, logger },
  });
  await signer.reconcile(1, new AbortController().signal);
}

async function check(currentVersion: string, { apiKey = key, platform = 'ios', channel = 'production' } = {}) {
  const response = await fetch(`${plane.address}/api/v1/updates/check?channel=${channel}`, {
    headers: {
      ...{ 'X-API-Key': apiKey, 'X-Device-ID': randomUUID() },
      ...{ 'X-Current-Version': currentVersion, 'X-Platform': platform },
    },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

const OFFER =
  'available,version,bundleId,downloadUrl,checksum,signature,size,mandatory,releaseNotes,minNativeVersion,expiresAt';

it('an app without a signing key: responses have no further member', async () => {
  await signStatements();
  expect(Object.keys(await check('1.0.0', { apiKey: keyOfOther })).join()).toBe(OFFER);
  expect(await check('1.1.0', { apiKey: keyOfOther })).toEqual({ available: false, message: 'No updates available' });
});

it('an app with a signing key: an offer carries its manifest, every response the state of the channel', async () => {
  await signStatements();
  const offer = await check('1.0.0');
  expect(Object.keys(offer).join()).toBe(
    `${OFFER},signatures,manifest,manifestSignature,channelState,channelStateSignature`,
  );
  expect(offer['signatures']).toEqual([{ key_id: 7, signature: offer['signature'] }]);
  expect(JSON.parse(offer['manifest'] as string)).toMatchObject({ version: '1.1.0', sha256: offer['checksum'] });

  const nothing = await check('1.1.0');
  expect(Object.keys(nothing).join()).toBe('available,message,channelState,channelStateSignature');
  expect(nothing['channelState']).toBe(offer['channelState']);
  const empty = await check('1.0.0', { channel: 'staging', platform: 'web' });
  expect(JSON.parse(empty['channelState'] as string)).toMatchObject({
    ...{ channel: 'staging', platform: 'web', versions: {} },
  });
});

it('while two keys sign, each statement and the bundle carry both signatures; the plain member is the oldest key’s', async () => {
  trusted = [7, 9];
  await signStatements();
  const offer = await check('1.0.0');
  for (const [one, all] of [
    ['signature', 'signatures'],
    ['manifestSignature', 'manifestSignatures'],
    ['channelStateSignature', 'channelStateSignatures'],
  ] as const) {
    const list = offer[all] as KeySignature[];
    expect(list.map(({ key_id }) => key_id)).toEqual([7, 9]);
    expect(offer[one]).toBe(list[0]?.signature);
  }
  expect(Object.keys(await check('1.1.0')).join()).toBe(
    'available,message,channelState,channelStateSignature,channelStateSignatures',
  );
});

it('leaves out what is not signed for the builds as they are now, and never waits for it', async () => {
  await signStatements();
  await check('1.0.0');
  const build = buildFacts(1, '1.1.0');
  await stores.change(build, { type: 'BuildEdited', data: { buildId: 1, minNativeVersion: '2.0.0' } });
  expect(Object.keys(await check('1.0.0')).join()).toBe(`${OFFER},signatures`);
  expect(Object.keys(await check('1.1.0')).join()).toBe('available,message');
  await signStatements();
  expect(JSON.parse((await check('1.0.0'))['manifest'] as string)).toMatchObject({ nativeRange: '>=2.0.0' });
});

it('leaves out what has expired', async () => {
  await signStatements();
  await check('1.0.0');
  stores.clock.time += 168 * 3_600_000;
  expect(Object.keys(await check('1.0.0')).join()).toBe(`${OFFER},signatures`);
  expect(Object.keys(await check('1.1.0')).join()).toBe('available,message');
});
