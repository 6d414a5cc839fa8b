import { connect } from 'node:net';
import { newCredential } from '@sluice/contracts';
import fc from 'fast-check';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';

jest.setTimeout(60_000);

let stores: DeviceStores;
let plane: DevicePlane;
let keys: string[];

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  keys = [await stores.createKey(1, 1), await stores.createKey(2, 1)];
  const restrictions = { origins: ['https://app.example.com'], ios: [{ bundle_id: 'com.example.app' }] };
  await stores.append('apiKeys-1', { type: 'ApiKeyRestricted', data: { id: 2, restrictions } });
  await stores.publish(buildFacts(1, '1.4.0', { releaseNotes: 'Größer 🚀, "schneller"' }));
  await stores.publish(buildFacts(2, '1.5.0', { rolloutPercentage: 50, minNativeVersion: '3' }));
  plane = await startDevicePlane(stores, { limitDevicePerMinute: 1_000_000, limitAddressPerMinute: 1_000_000 });
});

afterAll(async () => {
  await plane.close();
  await stores.close();
});

async function answer(query: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(`${plane.address}/api/v1/updates/check${query}`, { headers, method });
  const told = Object.fromEntries(response.headers);
  delete told['date'];
  return { status: response.status, headers: told, body: await response.text() };
}

it('answers as the router does, whatever the headers hold', async () => {
  expect(await answer('', {})).toEqual(await answer('?', {}));
  await plane.index.open();
  const wrongKeys = [newCredential('svc_app_'), newCredential('svc_pat_'), 'x', ''];
  const headers = fc.record(
    {
      'X-API-Key': fc.constantFrom(...keys, ...keys, ...wrongKeys),
      'X-Device-ID': fc.constantFrom('a', 'b', 'c', 'gerät', '', 'x'.repeat(255), 'x'.repeat(256)),
      'X-Current-Version': fc.constantFrom('0.9.0', '1', 'v1.4', '1.5.0-beta.1+x', 'latest', '', '1.'.repeat(3_000)),
      'X-Platform': fc.constantFrom('ios', 'android', 'web', 'all', 'windows', 'IOS'),
      'X-App-Version': fc.constantFrom('2.9', '3', 'unknown', ''),
      'X-Ios-Bundle-Id': fc.constantFrom('com.example.app', 'com.example.other'),
      Origin: fc.constantFrom('https://app.example.com', 'null'),
    },
    { requiredKeys: [] },
  );
  const queries = fc.constantFrom('', '?channel=production', '?channel=staging', '?channel=development');
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(headers, queries, async (given, query) => {
      const quick = await answer(query, given);
      statuses.add(quick.status);
      expect(quick).toEqual(await answer(`${query === '' ? '?' : query}&more=1`, given));
    }),
    { numRuns: 300 },
  );
  expect([...statuses].sort()).toEqual([200, 400, 401, 403, 422]);
});

it.each([
  ['GET', '?channel=prod%75ction', 200],
  ['GET', '?channel=production&channel=staging', 422],
  ['GET', '?channel=beta', 422],
  ['GET', '?channel=%ZZ', 422],
  ['GET', '/', 404],
  ['HEAD', '', 404],
  ['POST', '', 404],
  ['OPTIONS', '', 204],
])('leaves %s of another spelling or method to the router: %s', async (method, query, status) => {
  const device = { 'X-API-Key': keys[0]!, 'X-Device-ID': 'a', 'X-Current-Version': '1', 'X-Platform': 'ios' };
  expect((await answer(query, device, method)).status).toBe(status);
});

it('answers pipelined checks in their turn, behind a request that takes longer', async () => {
  const { hostname, port } = new URL(plane.address);
  const headers = `Host: a\r\nX-API-Key: ${keys[0]}\r\nX-Device-ID: a\r\nX-Platform: ios\r\n`;
  const report = `POST /api/v1/analytics/mau HTTP/1.1\r\n${headers}X-Bundle-Version: 1\r\nContent-Length: 0\r\n\r\n`;
  const check = (version: string) =>
    `GET /api/v1/updates/check HTTP/1.1\r\n${headers}X-Current-Version: ${version}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(`${check('1')}${report}${check('9')}${check('1')}`);
  let received = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += chunk.toString('latin1');
    if (received.split('HTTP/1.1 200 OK').length === 5 && received.endsWith('}')) break;
  }
  const told = received.split('HTTP/1.1 200 OK').slice(1);
  expect(told.map((one) => /"(available|success)":(true|false)/.exec(one)?.[0])).toEqual([
    '"available":true',
    '"success":true',
    '"available":false',
    '"available":true',
  ]);
});
