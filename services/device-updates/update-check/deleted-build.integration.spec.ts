import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
} from '../../../test/support/device-plane';
import { call, checkUpdate } from '../../../test/support/http';

jest.setTimeout(30_000);

describe('a deleted build', () => {
  let stores: Awaited<ReturnType<typeof openDeviceStores>>;
  let plane: DevicePlane;
  let key: string;

  beforeEach(async () => {
    stores = await openDeviceStores();
    await stores.registerApp(1);
    key = await stores.createKey(1, 1);
    plane = await startDevicePlane(stores);
    await plane.index.open();
  });

  afterEach(async () => {
    await plane.close();
    await stores.close();
  });

  it('is neither offered nor downloadable by an address given before, and the next older one is offered', async () => {
    const [older, newer] = await Promise.all([
      withBundle(stores.objects, buildFacts(1, '1.0.0'), Buffer.from('older')),
      withBundle(stores.objects, buildFacts(2, '2.0.0'), Buffer.from('newer')),
    ]);
    await stores.publish(older);
    await stores.publish(newer);
    const check = async () => (await checkUpdate(plane.address, key, 'device', '0.1.0')).body;
    // Both events are there before the deletion is, so that waiting for it waits for them.
    await stores.change(newer, { type: 'RolloutChanged', data: { buildId: 2, rolloutPercentage: 100, enabled: true } });
    const { version, downloadUrl } = await check();
    expect(version).toBe('2.0.0');
    expect(await (await fetch(downloadUrl)).text()).toBe('newer');

    const { objectKey } = newer;
    await stores.change(newer, { type: 'BuildDeleted', data: { buildId: 2, objectKey, jobId: null } });
    expect(await check()).toMatchObject({ available: true, version: '1.0.0' });
    for (const method of ['GET', 'HEAD']) expect((await fetch(downloadUrl, { method })).status).toBe(404);
    expect(await call(downloadUrl)).toMatchObject({ body: { error: { code: 'BUILD_NOT_FOUND' } } });
  });

  it('leaves those that were promoted from it as they are', async () => {
    const source = await withBundle(
      stores.objects,
      buildFacts(1, '1.0.0', { channel: 'staging' }),
      Buffer.from('same'),
    );
    const copy = { ...source, buildId: 2, bundleId: buildFacts(2, '1.0.0').bundleId, channel: 'production' as const };
    const { appId, objectKey } = source;
    await stores.publish(source);
    await stores.change(source, {
      type: 'PromotionStarted',
      data: { buildId: 1, appId, objectKey, promotedId: 2, targetChannel: 'production' },
    });
    await stores.change(copy, { type: 'BuildPromoted', data: { ...copy, promotedFromId: 1 } });
    await stores.change(source, { type: 'BuildDeleted', data: { buildId: 1, objectKey, jobId: null } });
    const { body } = await checkUpdate(plane.address, key, 'device', '0.1.0');
    expect(body).toMatchObject({ available: true, version: '1.0.0' });
    expect(await (await fetch(body.downloadUrl)).text()).toBe('same');
  });
});
