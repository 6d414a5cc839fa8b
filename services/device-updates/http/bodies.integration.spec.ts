import {
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';

describe('a body where none is taken', () => {
  let stores: DeviceStores;
  let plane: DevicePlane;

  beforeAll(async () => {
    stores = await openDeviceStores();
    plane = await startDevicePlane(stores);
    await plane.index.open();
  });
  afterAll(async () => {
    await plane.close();
    await stores.close();
  });

  it.each([
    ['none, labelled JSON', 'application/json', ''],
    ['broken JSON', 'application/json', '{'],
    ['a large one', 'application/json', JSON.stringify('x'.repeat(2_000_000))],
    ['an unknown type', 'text/xml', '<'],
  ])('changes no answer: %s', async (_, type, body) => {
    const send = async (method: string, path: string) => {
      const headers = { 'Content-Type': type, Connection: 'close' };
      const response = await fetch(plane.address + path, { method, headers, body });
      return [response.status, await response.text()];
    };
    expect(await send('OPTIONS', '/api/v1/updates/check')).toEqual([204, '']);
    expect(await send('POST', '/api/v1/nothing')).toEqual([404, expect.stringContaining('NOT_FOUND')]);
    expect(await send('POST', '/api/v1/updates/check')).toEqual([404, expect.stringContaining('NOT_FOUND')]);
  });
});
