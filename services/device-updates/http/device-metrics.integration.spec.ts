import { metrics } from '@sluice/telemetry';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';

jest.setTimeout(30_000);

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  await stores.publish(buildFacts(1, '1.0.0'));
  plane = await startDevicePlane(stores, { limitDevicePerMinute: 3 });
  await plane.index.open();
});

afterAll(async () => {
  await plane.close();
  await stores.close();
});

async function measured(): Promise<Record<string, number>> {
  const lines = (await metrics.metrics())
    .split('\n')
    .filter((line) => /^sluice_device_|^sluice_report_write_seconds_count/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

it('counts every answer by the class of its status, and each refusal by its code', async () => {
  const before = await measured();
  const device = { 'X-API-Key': key, 'X-Device-ID': 'phone', 'X-Current-Version': '0.9.0', 'X-Platform': 'ios' };
  const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(`${plane.address}/api/v1${path}`, { method, headers }).then(({ status }) => status);
  // As devices write it, and by the router.
  for (const path of ['/updates/check', '/updates/check?channel=production&more=1']) {
    expect(await ask(path, device)).toBe(200);
    expect(await ask(path, {})).toBe(401);
    expect(await ask(path, { ...device, 'X-Platform': 'none' })).toBe(422);
  }
  expect(await ask('/analytics/mau', { ...device, 'X-Bundle-Version': '1' }, 'POST')).toBe(200);
  expect(await ask('/updates/check', device)).toBe(429);
  expect(await ask('/nothing', {})).toBe(404);
  expect(await ask('/updates/check', {}, 'OPTIONS')).toBe(204);
  expect(await ask('/bundles/1/download', {})).toBe(403);

  const after = await measured();
  const counted = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  expect(Object.fromEntries(counted.filter(([, count]) => count > 0))).toEqual({
    'sluice_device_answers{status="2xx"}': 4,
    'sluice_device_answers{status="4xx"}': 7,
    'sluice_device_refusals{code="MISSING_API_KEY"}': 2,
    'sluice_device_refusals{code="VALIDATION_FAILED"}': 2,
    'sluice_device_refusals{code="RATE_LIMITED"}': 1,
    'sluice_device_refusals{code="NOT_FOUND"}': 1,
    'sluice_device_refusals{code="DOWNLOAD_URL_INVALID"}': 1,
    sluice_report_write_seconds_count: 1,
  });
});

it.each([
  ['capawesome', 'v1/apps/none/channels'],
  ['capawesome', 'v1/apps/none/bundles/latest?platform=1'],
  ['capgo', 'none/channel'],
  ['codepush', 'v0.1/public/codepush/update_check?deployment_key=%6Eone&app_version=1.0.0'],
  ['codepush', 'v0.1/public/codepush/update_check?deployment_key=none&app_version=1.0.0'],
  ['expo', 'none/none'],
  ['hot-updater', 'none'],
  ['hot-updater', 'none/app-version/ios/1.0.0/production/none/none'],
  ['native-update', 'none/check?channel=%70roduction'],
  ['native-update', 'none/check?channel=production'],
])('counts a rejection once for clients of %s: %s', async (name, path) => {
  const before = await measured();
  const { status } = await fetch(`${plane.address}/compat/${name}/${path}`);
  const counted = Object.entries(await measured()).map(([of, count]) => [of, count - (before[of] ?? 0)] as const);
  const answered = counted.filter(([of, count]) => count > 0 && of.startsWith('sluice_device_answers'));
  expect(answered).toEqual([[`sluice_device_answers{status="${String(status)[0]}xx"}`, 1]]);
  expect(counted.filter(([of, count]) => count > 0 && of.startsWith('sluice_device_refusals'))).toHaveLength(1);
});
