import { randomBytes } from 'node:crypto';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { StoreAddresses } from './store-addresses';

let stores: DeviceStores;
let plane: DevicePlane;
let url: string;
let etag: string;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1, 'ios');
  const key = await stores.createKey(1, 1);
  const build = await withBundle(stores.objects, buildFacts(1, '1.4.0'), randomBytes(1_000));
  await stores.publish(build);
  etag = `"${build.checksum}"`;
  const presign = (objectKey: string) => Promise.resolve(`https://objects.example.com/${objectKey}?signed`);
  const storeAddresses = new StoreAddresses({ presign, ttlSeconds: 1_800, clock: stores.clock });
  plane = await startDevicePlane(stores, { storeAddresses });
  await plane.index.open();
  const headers = { 'X-API-Key': key, 'X-Device-ID': 'd', 'X-Current-Version': '1.0.0', 'X-Platform': 'ios' };
  const response = await fetch(`${plane.address}/api/v1/updates/check`, { headers });
  url = ((await response.json()) as { downloadUrl: string }).downloadUrl;
});

afterAll(async () => {
  await plane.close();
  await stores.close();
});

describe('a download that is redirected', () => {
  const download = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url, { headers, method, redirect: 'manual' });

  it('begins at the address of a check, and continues at the object store', async () => {
    expect(url).toContain(plane.address);
    const response = await download({ Range: 'bytes=0-9', Origin: 'https://app.example.com' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/^https:\/\/objects\.example\.com\/bundles\/.*\?signed$/);
    expect(response.headers.get('x-bundle-checksum')).toBe(etag.slice(1, -1));
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(await response.text()).toBe('');
  });

  it('sends no redirect where no bytes are to be sent', async () => {
    const head = await download({}, 'HEAD');
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([200, etag, '1000']);
    expect((await download({ 'If-None-Match': etag })).status).toBe(304);
    expect((await download({ Range: 'bytes=1000-' })).status).toBe(416);
  });

  it('is refused as a streamed one is', async () => {
    const altered = await fetch(url.replace(/signature=.{4}/, 'signature=AAAA'), { redirect: 'manual' });
    expect(altered.status).toBe(403);
    const unknown = await fetch(url.replace('/bundles/1/', '/bundles/99/'), { redirect: 'manual' });
    expect(unknown.status).toBe(404);
  });
});
