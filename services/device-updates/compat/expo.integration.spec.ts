import { createHash, randomUUID } from 'node:crypto';
import type { BuildFacts } from '@sluice/contracts';
import { ExpoClient, type ExpoDevice } from '../../../test/support/expo-client';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { zipOf } from '../../../test/support/zip';

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;

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

const md5 = (content: string) => createHash('md5').update(content).digest('hex');
const base = (ofKey = key) => `${plane.address}/compat/expo/${ofKey}`;

/** As `npx expo export` makes it. */
function exported(code: string): Record<string, string> {
  const logo = `the logo of ${code}`;
  const asset = { path: `assets/${md5(logo)}`, ext: 'png' };
  const bundleOf = (platform: string) => `_expo/static/js/${platform}/index-${md5(code)}.hbc`;
  const of = (platform: string) => ({ bundle: bundleOf(platform), assets: [asset] });
  const metadata = { version: 0, bundler: 'metro', fileMetadata: { ios: of('ios'), android: of('android') } };
  return {
    'metadata.json': JSON.stringify(metadata),
    'expoConfig.json': JSON.stringify({ name: 'Größer', slug: 'shop' }),
    [bundleOf('ios')]: `${code} for ios`,
    [bundleOf('android')]: `${code} for android`,
    [asset.path]: logo,
  };
}

async function publish(
  id: number,
  version: string,
  { files = exported(version), ...more }: Partial<BuildFacts> & { readonly files?: Record<string, string> } = {},
): Promise<BuildFacts> {
  stores.clock.time += 60_000;
  const zip = await zipOf(files);
  const build = await withFiles(stores.objects, buildFacts(id, version, { fingerprint: '1.0.0', ...more }), zip);
  await stores.publish(build);
  await stores.change(build, { type: 'RolloutChanged', data: { buildId: id, rolloutPercentage: 100, enabled: true } });
  return build;
}

const client = (more: Partial<ExpoDevice> = {}) => new ExpoClient({ url: base(), clientId: randomUUID(), ...more });

it('updates a client to a manifest whose files have the hashes that it names', async () => {
  const build = await publish(1, '1.1.0');
  const device = client();
  const { manifest, headers } = await device.update();
  expect(headers.get('cache-control')).toBe('private, max-age=0');
  expect(manifest).toEqual({
    id: expect.stringMatching(/^00000000-0001-8/) as string,
    createdAt: '2026-03-01T12:01:00.000Z',
    runtimeVersion: '1.0.0',
    launchAsset: {
      hash: createHash('sha256').update('1.1.0 for ios').digest('base64url'),
      key: md5('1.1.0 for ios'),
      url: expect.stringContaining(`bundle=${build.bundleId}`) as string,
      ...{ contentType: 'application/javascript', fileExtension: '.bundle' },
    },
    assets: [expect.objectContaining({ contentType: 'image/png', fileExtension: '.png' })],
    metadata: { version: '1.1.0' },
    extra: { expoClient: { name: 'Größer', slug: 'shop' } },
  });
  expect(device.runs).toEqual(manifest);
  expect((await device.update()).status).toBe(204);
});
