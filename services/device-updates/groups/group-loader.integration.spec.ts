import type { ObjectStore } from '@sluice/object-store';
import { ObjectStoreUnavailableError } from '@sluice/object-store';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { Groups } from '../serving/groups';
import { GroupLoader } from './group-loader';
import { PackedGroup } from './domain/packed-group';
import { recordingLogger } from '@sluice/testing';

jest.setTimeout(60_000);

describe('the devices of a group', () => {
  let stores: DeviceStores;
  let plane: DevicePlane;
  let isAway = false;
  let key: string;

  beforeAll(async () => {
    stores = await openDeviceStores();
    const objects: ObjectStore = {
      ...stores.objects,
      get: (...given) =>
        isAway ? Promise.reject(new ObjectStoreUnavailableError('It is unavailable.')) : stores.objects.get(...given),
    };
    await stores.registerApp(1);
    key = await stores.createKey(1, 1);
    const build = buildFacts(1, '2.0.0');
    await stores.publish(build);
    plane = await startDevicePlane(stores, { objects });
    await plane.index.open();
    await plane.groups.open();
    await stores.change(build, { type: 'BuildEdited', data: { buildId: 1, audience: { groups: ['beta', 'staff'] } } });
  });

  afterAll(async () => {
    await plane.close();
    await stores.close();
  });

  async function replace(name: string, revision: number, devices: readonly string[]): Promise<void> {
    const { position } = await stores.append('groups-1', await stores.putGroup(1, name, revision, devices));
    await stores.members.applied('groups-1', position);
    await plane.groups.load();
  }

  const offered = (deviceId: string): boolean => {
    const headers = { 'x-api-key': key, 'x-device-id': deviceId, 'x-platform': 'ios', 'x-current-version': '1.0.0' };
    return (JSON.parse(plane.check(headers, 'production').body) as { available: boolean }).available;
  };

  it('alone are offered a build that is for the group, and none while the group does not exist', async () => {
    expect(offered('a')).toBe(false);
    await replace('beta', 1, ['a', 'b']);
    expect(['a', 'b', 'c'].map(offered)).toEqual([true, true, false]);
    await replace('staff', 1, ['c']);
    expect(['a', 'b', 'c'].map(offered)).toEqual([true, true, true]);
  });

  it('are those known before while the object store is unavailable, and none of a group of which none are known', async () => {
    isAway = true;
    await replace('beta', 2, ['b']);
    await stores.append('groups-1', { type: 'GroupDeleted', data: { appId: 1, name: 'staff' } });
    await replace('staff', 2, ['c']);
    expect(['a', 'b', 'c'].map(offered)).toEqual([true, true, false]);
    isAway = false;
    await plane.groups.load();
    expect(['a', 'b', 'c'].map(offered)).toEqual([false, true, true]);
  });

  it('are gone with the group, and with the app', async () => {
    await stores.append('groups-1', { type: 'GroupDeleted', data: { appId: 1, name: 'staff' } });
    await replace('beta', 3, ['b']);
    expect(['b', 'c'].map(offered)).toEqual([true, false]);
    const { position } = await stores.append('groups-1', { type: 'GroupsClosed', data: { appId: 1 } });
    await stores.members.applied('groups-1', position);
    expect(offered('b')).toBe(false);
    expect(plane.index.builds.groups.memberships).toBe(0);
  });
});

describe('1,000,000 devices in memory', () => {
  it('take at most 10 bytes each, and at most three times that while they are replaced', async () => {
    const DEVICES = 1_000_000;
    const random = new BigUint64Array(DEVICES);
    let state = 88172645463325252n;
    for (let n = 0; n < DEVICES; n += 1) {
      state = BigInt.asUintN(64, state ^ (state << 13n));
      state ^= state >> 7n;
      random[n] = state = BigInt.asUintN(64, state ^ (state << 17n));
    }
    const bytes = Buffer.from(PackedGroup.of(random).bytes());
    const groups = new Groups();
    let most = 0;
    const objects = {
      get: () => {
        const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) =>
          bytes.subarray(n * 65_536, (n + 1) * 65_536),
        );
        const stream = Readable.from(chunks);
        stream.on('data', () => (most = Math.max(most, process.memoryUsage().arrayBuffers)));
        stream.pause();
        return Promise.resolve(stream);
      },
    };
    const loader = new GroupLoader({ groups, objects, logger: recordingLogger() });
    const row = { id: '1/beta', appId: 1, name: 'beta', size: DEVICES, keyVersion: 1, updatedAt: '' };
    const before = await settledArrayBuffers();
    groups.replace(undefined, { ...row, revision: 1, objectKey: 'first' });
    await loader.load();
    const atRest = (await settledArrayBuffers()) - before;
    groups.replace({ ...row, revision: 1, objectKey: 'first' }, { ...row, revision: 2, objectKey: 'second' });
    most = 0;
    await loader.load();
    expect(groups.missing()).toEqual([]);
    const replacing = most - before;
    process.stdout.write(
      `a group of ${DEVICES} devices: ${(atRest / DEVICES).toFixed(2)} bytes a device at rest, at most ${(replacing / DEVICES).toFixed(2)} while it is replaced\n`,
    );
    // Collected before, it would count as room that the group gave back.
    expect(random).toHaveLength(DEVICES);
    expect(atRest / DEVICES).toBeGreaterThan(7.5);
    expect(atRest / DEVICES).toBeLessThanOrEqual(10);
    expect(replacing / DEVICES).toBeLessThanOrEqual(30);
  });
});

/** After a collection of garbage, of which Jest exposes none. */
async function settledArrayBuffers(): Promise<number> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Buffers are freed some time after their collection.
  for (let before = Infinity; ;) {
    collect();
    await delay(20);
    const now = process.memoryUsage().arrayBuffers;
    if (now === before) return now;
    before = now;
  }
}
