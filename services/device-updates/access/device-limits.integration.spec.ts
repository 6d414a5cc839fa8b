import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { call, checkUpdate } from '../../../test/support/http';
import type { LimitSettings } from './device-limits';

jest.setTimeout(30_000);

let stores: DeviceStores;
let key: string;
let otherKey: string;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  await stores.registerApp(2);
  key = await stores.createKey(1, 1);
  otherKey = await stores.createKey(2, 2);
  await stores.publish(buildFacts(1, '1.0.0'));
});

afterAll(() => stores.close());

async function withPlane(limits: Partial<LimitSettings>, run: (api: string) => Promise<void>): Promise<void> {
  const plane = await startDevicePlane(stores, limits);
  try {
    await plane.index.open();
    await run(`${plane.address}/api/v1`);
  } finally {
    await plane.close();
  }
}

const device = (id: string, more: Record<string, string> = {}) => ({
  'X-API-Key': key,
  'X-Device-ID': id,
  'X-Current-Version': '0.9.0',
  'X-Platform': 'ios',
  ...more,
});

/** In order; `code` is the status of a response that has no code. */
async function ask(api: string, times: number, headers: Record<string, string>, path = '/updates/check') {
  const told: (string | number)[] = [];
  for (let n = 0; n < times; n += 1) {
    const { status, body } = await call<{ error?: { code: string } }>(api + path, { headers });
    told.push(body.error?.code ?? status);
  }
  return told;
}

describe.each([
  ['as devices write it', '/updates/check'],
  ['spelled otherwise', '/updates/check?channel=production&more'],
])('the limits, for a check %s', (_, path) => {
  it('reject a device beyond its own limit until its minute is over', () =>
    withPlane({ limitDevicePerMinute: 2 }, async (api) => {
      expect(await ask(api, 3, device('a'), path)).toEqual([200, 200, 'RATE_LIMITED']);
      stores.clock.time += 20_500;
      const refused = await fetch(api + path, { headers: device('a', { Origin: 'https://app.example.com' }) });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('40');
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
      expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
      expect(await ask(api, 1, device('b'), path)).toEqual([200]);
      expect(await ask(api, 1, device('a', { 'X-API-Key': otherKey }), path)).toEqual([200]);
      stores.clock.time += 39_500;
      expect(await ask(api, 1, device('a'), path)).toEqual([200]);
    }));

  it('count a device once all that it sent is right, and its address before', () =>
    withPlane({ limitDevicePerMinute: 1, limitAddressPerMinute: 8 }, async (api) => {
      const wrong = device('a', { 'X-Platform': 'windows' });
      expect(await ask(api, 2, wrong, path)).toEqual([422, 422]);
      expect(await ask(api, 2, device('a'), path)).toEqual([200, 'RATE_LIMITED']);
      expect(await ask(api, 1, device('a', { 'X-API-Key': 'svc_app_' }), path)).toEqual(['INVALID_API_KEY']);
      expect(await ask(api, 1, wrong, path)).toEqual([422]);
      expect(await ask(api, 1, {}, path)).toEqual(['MISSING_API_KEY']);
      expect(await ask(api, 1, { 'X-API-Key': key }, path)).toEqual(['MISSING_DEVICE_ID']);
      expect(await ask(api, 1, {}, path)).toEqual(['RATE_LIMITED']);
      expect(await ask(api, 1, device('b'), path)).toEqual(['RATE_LIMITED']);
    }));

  it('count an address behind a trusted proxy by what the proxy says', () =>
    withPlane({ limitAddressPerMinute: 2, trustedProxies: ['127.0.0.1'] }, async (api) => {
      const from = (address: string, id: string) => device(id, { 'X-Forwarded-For': `203.0.113.9, ${address}` });
      expect(await ask(api, 3, from('198.51.100.7', 'a'), path)).toEqual([200, 200, 'RATE_LIMITED']);
      expect(await ask(api, 1, from('198.51.100.8', 'a'), path)).toEqual([200]);
    }));

  it('count all addresses of an IPv6 /64 as one', () =>
    withPlane({ limitAddressPerMinute: 2, trustedProxies: ['127.0.0.1'] }, async (api) => {
      const from = (address: string) => device('a', { 'X-Forwarded-For': address });
      expect(await ask(api, 1, from('2001:db8:1:2::1'), path)).toEqual([200]);
      expect(await ask(api, 2, from('2001:db8:1:2:ffff::2'), path)).toEqual([200, 'RATE_LIMITED']);
      expect(await ask(api, 1, from('2001:db8:1:3::1'), path)).toEqual([200]);
    }));

  it('take no address from who is no trusted proxy', () =>
    withPlane({ limitAddressPerMinute: 2 }, async (api) => {
      const from = (address: string) => device('a', { 'X-Forwarded-For': address });
      expect(await ask(api, 2, from('198.51.100.7'), path)).toEqual([200, 200]);
      expect(await ask(api, 1, from('198.51.100.8'), path)).toEqual(['RATE_LIMITED']);
    }));
});

describe('downloads at a time', () => {
  const bytes = randomBytes(8_000_000);
  let plane: DevicePlane;
  let url: string;

  beforeAll(async () => {
    await stores.registerApp(3);
    const downloading = await stores.createKey(3, 3);
    await stores.publish(await withBundle(stores.objects, buildFacts(3, '1.0.0', { appId: 3 }), bytes));
    const limits = { limitDownloadsPerAddress: 2, limitDownloads: 3, trustedProxies: ['127.0.0.1'] };
    plane = await startDevicePlane(stores, limits);
    await plane.index.open();
    url = (await checkUpdate(plane.address, downloading, 'a', '0.9.0')).body.downloadUrl;
  });

  afterAll(() => plane.close());

  /** A download that has begun and is not read. */
  async function begin(from: string): Promise<{ response: IncomingMessage; leave: () => void }> {
    const outgoing = request(url, { headers: { 'X-Forwarded-For': from }, agent: false }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    outgoing.on('error', () => undefined);
    return { response, leave: () => void outgoing.destroy() };
  }
  const code = async ({ response }: Awaited<ReturnType<typeof begin>>) =>
    (JSON.parse(await text(response)) as { error: { code: string } }).error.code;
  /** Until the server has seen that a client is gone. */
  async function beginOnceFree(from: string) {
    for (;;) {
      const begun = await begin(from);
      if (begun.response.statusCode === 200) return begun;
      begun.response.resume();
    }
  }

  it('are limited for each address and for the process, until one ends', async () => {
    const [first, second] = [await begin('198.51.100.7'), await begin('198.51.100.7')];
    expect([first.response.statusCode, second.response.statusCode]).toEqual([200, 200]);
    const beyond = await begin('198.51.100.7');
    expect([beyond.response.statusCode, beyond.response.headers['retry-after']]).toEqual([429, '10']);
    expect(await code(beyond)).toBe('RATE_LIMITED');

    const third = await begin('2001:db8:1:2::1');
    expect(third.response.statusCode).toBe(200);
    const full = await begin('203.0.113.9');
    expect([full.response.statusCode, await code(full)]).toEqual([429, 'RATE_LIMITED']);
    const head = await fetch(url, { method: 'HEAD', headers: { 'X-Forwarded-For': '198.51.100.7' } });
    expect(head.status).toBe(200);

    first.leave();
    const again = await beginOnceFree('198.51.100.7');
    second.leave();
    expect((await text(again.response)).length).toBeGreaterThan(0);
    for (const each of [third, again]) each.leave();
  });
});

it('a report counts against the device as a check does, before its body is judged', () =>
  withPlane({ limitDevicePerMinute: 2 }, async (api) => {
    const report = async () => {
      const init = { method: 'POST', headers: { ...device('a'), 'Content-Type': 'application/json' }, body: '{}' };
      const { status, body } = await call<{ error?: { code: string } }>(`${api}/analytics/download`, init);
      return body.error?.code ?? status;
    };
    expect(await ask(api, 1, device('a'))).toEqual([200]);
    expect([await report(), await report()]).toEqual([422, 'RATE_LIMITED']);
  }));

it('the limit of the address holds for every address of the plane', () =>
  withPlane({ limitAddressPerMinute: 3 }, async (api) => {
    expect(await ask(api, 1, {}, '/bundles/1/download')).toEqual(['DOWNLOAD_URL_INVALID']);
    expect(await ask(api, 1, {}, '/nothing')).toEqual(['NOT_FOUND']);
    expect((await fetch(`${api}/updates/check`, { method: 'OPTIONS' })).status).toBe(204);
    expect(await ask(api, 1, {}, '/bundles/1/download')).toEqual(['RATE_LIMITED']);
    expect(await ask(api, 1, {}, '/nothing')).toEqual(['RATE_LIMITED']);
    expect((await fetch(`${api}/updates/check`, { method: 'OPTIONS' })).status).toBe(429);
    const health = await fetch(api.replace('/v1', '/health'));
    expect(health.status).toBe(200);
  }));
