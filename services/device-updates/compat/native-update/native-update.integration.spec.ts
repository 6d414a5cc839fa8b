import { createHash } from 'node:crypto';
import type { BuildFacts } from '@sluice/contracts';
import fc from 'fast-check';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { zipOf } from '../../../../test/support/zip';

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  plane = await startDevicePlane(stores, { limitDevicePerMinute: 1 });
  await plane.index.open();
});

afterAll(async () => {
  await plane.close();
  await stores.close();
});

const serverUrl = (ofKey = key) => `${plane.address}/compat/native-update/${ofKey}`;

/** What the native clients read, as `LiveUpdatePlugin.kt` and `LiveUpdatePlugin.swift` declare it. */
interface Offer {
  readonly available: true;
  readonly version: string;
  readonly url: string;
  readonly checksum: string;
}

/** Android takes any JSON of a 2xx for an update, iOS what has `available`; both download what the app passes on. */
async function check(os: 'android' | 'ios', channel = 'production', ofKey = key): Promise<Offer | undefined> {
  const response = await fetch(`${serverUrl(ofKey)}/check?channel=${encodeURIComponent(channel)}`);
  const body = (await response.json()) as { readonly available?: boolean } & Partial<Offer>;
  const isOffer = os === 'android' ? response.ok : body.available === true;
  expect(isOffer).toBe(response.status === 200 && body.available === true);
  return isOffer ? (body as Offer) : undefined;
}

/** As `version-manager.ts` does. */
async function checkInJavaScript(version: string, native = version): Promise<{ version: string } | null> {
  const query = new URLSearchParams({ channel: 'production', version, appId: 'app.1', platform: 'web' });
  const headers = { 'X-App-Version': native, 'X-App-Id': 'app.1' };
  const response = await fetch(`${serverUrl()}/check?${query.toString()}`, { headers });
  if (!response.ok) return null;
  const found = (await response.json()) as { readonly version?: string };
  return found.version === undefined ? null : { version: found.version };
}

async function publish(id: number, version: string, more: Partial<BuildFacts> = {}): Promise<BuildFacts> {
  const build = await withBundle(stores.objects, buildFacts(id, version, more), await zipOf({ a: version }));
  await stores.publish(build);
  await rollOut(build, 100);
  return build;
}

const rollOut = (build: BuildFacts, rolloutPercentage: number) =>
  stores.change(build, {
    type: 'RolloutChanged',
    data: { buildId: build.buildId, rolloutPercentage, enabled: true },
  });

it('serves a client of native-update 1.3 builds that are released to all, and nothing that it would take for one', async () => {
  expect([await check('android'), await check('ios'), await checkInJavaScript('1.0.0')]).toEqual([
    undefined,
    undefined,
    null,
  ]);
  const build = await publish(1, '1.1.0', { releaseNotes: 'Größer', minNativeVersion: '1.0.0', signature: 'c2ln' });
  const offer = await check('android');
  expect(offer).toEqual({
    ...{ available: true, version: '1.1.0', checksum: build.checksum, signature: 'c2ln', minAppVersion: '1.0.0' },
    ...{ notes: 'Größer', releaseNotes: 'Größer', description: 'Größer' },
    ...{ url: expect.any(String) as string, bundleUrl: offer?.url, downloadUrl: offer?.url },
  });
  expect(await check('ios')).toEqual(offer);
  const bundle = Buffer.from(await (await fetch(offer?.url ?? '')).arrayBuffer());
  expect(createHash('sha256').update(bundle).digest('hex')).toBe(offer?.checksum);

  expect(await checkInJavaScript('1.0.0')).toEqual({ version: '1.1.0' });
  expect(await checkInJavaScript('1.1.0')).toBeNull();
  expect(await checkInJavaScript('1.0.0', '0.9.0')).toBeNull();

  const bad = await publish(4, '1.2.0');
  const { buildId, appId, channel, version, checksum } = bad;
  const recalled = { ...{ buildId, appId, channel, version, checksum }, reason: 'It is broken.', target: 1 };
  await stores.change(bad, { type: 'BuildRecalled', data: recalled });
  const copy = { ...build, buildId: 5, bundleId: buildFacts(5, '1.2.1').bundleId, version: '1.2.1', recallOf: 4 };
  const republished = { ...copy, republishedFromId: 1, republishedVersion: '1.1.0' };
  await stores.change(build, { type: 'BuildRepublished', data: republished });
  expect(await checkInJavaScript('1.2.0')).toEqual({ version: '1.2.1' });
  expect((await check('ios'))?.version).toBe('1.1.0');

  await rollOut(build, 99);
  expect(await check('android')).toBeUndefined();
  await rollOut(build, 100);
  expect(await check('ios', 'no such channel')).toBeUndefined();
  expect((await check('ios', '', `${key}-staging`))?.version).toBeUndefined();
  await publish(2, '2.0.0', { channel: 'staging', platform: 'ios' });
  expect((await check('ios', 'staging'))?.version).toBeUndefined();
  await stores.append('apiKeys-1-staging', {
    type: 'ApiKeyCreated',
    data: {
      ...{ id: 2, appId: 1, name: 'ios', preview: '', sealId: null, channel: 'staging', platform: 'ios' },
      hash: createHash('sha256').update('an-imported-key').digest('hex'),
    },
  });
  await publish(3, '2.1.0', { channel: 'staging', platform: 'android' });
  expect((await check('ios', 'staging', 'an-imported-key'))?.version).toBe('2.0.0');
  expect((await check('ios', '', 'an-imported-key'))?.version).toBe('2.0.0');

  const response = await fetch(`${serverUrl('unknown')}/check`);
  expect([response.status, await response.json()]).toEqual([
    401,
    { available: false, error: expect.objectContaining({ code: 'INVALID_API_KEY_FORMAT' }) as object },
  ]);
});

it('takes no request for an update to offer, whatever is in it', async () => {
  const text = fc.oneof(
    fc.constantFrom('', 'production', 'web', '1.0.0', '%00', '\u0000', '[]'),
    fc.string({ maxLength: 20 }),
  );
  const queries = fc.array(fc.tuple(fc.constantFrom('channel', 'version', 'platform', 'appId', 'x'), text), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const response = await fetch(`${serverUrl()}/check?${new URLSearchParams(query).toString()}`);
      const body = (await response.json()) as { available: boolean; version?: string };
      expect([200, 404]).toContain(response.status);
      expect([body.available, body.version !== undefined]).toEqual(Array(2).fill(response.status === 200));
    }),
    { numRuns: 200, seed: 20_261_127 },
  );
  expect(plane.logger.lines).toEqual([]);
});
