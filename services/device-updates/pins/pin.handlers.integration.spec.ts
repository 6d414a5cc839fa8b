import { setTimeout as delay } from 'node:timers/promises';
import type { Audience } from '@sluice/kernel';
import type { BuildEvent, RequestOf, recordPins } from '@sluice/contracts';
import { eventually, failOnLine, recordingLogger } from '@sluice/testing';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import type { UpdateAnswer } from '../../../test/support/http';
import { devicePins } from '../devices/device-pins';
import { NO_GROUPS } from '../../../test/support/no-groups';
import { DeviceHandlers } from '../reports/device.handlers';
import { ReportRetention } from '../reports/report-retention';
import { Explanations } from '../serving/explanations';
import { MAX_PINS, PinHandlers } from './pin.handlers';

const DAY = 24 * 3_600_000;
/** At 100%, and a newer one at 0%. */
const GOOD = buildFacts(1, '1.0.0');
const NEXT = buildFacts(2, '1.1.0', { rolloutPercentage: 0 });

let stores: DeviceStores;
let planes: DevicePlane[];
let key: string;
let recorded: RequestOf<typeof recordPins>[];

beforeEach(async () => {
  stores = await openDeviceStores();
  [planes, recorded] = [[], []];
  await stores.registerApp(1);
  await stores.registerApp(2);
  key = await stores.createKey(1, 1);
  for (const build of [GOOD, NEXT, buildFacts(3, '1.0.0', { appId: 2 })]) await stores.publish(build);
});
afterEach(async () => {
  for (const plane of planes) await plane.close();
  await stores.close();
});

const rows = () => stores.documents.rows(devicePins).find();

/** A process, and its handlers; build-pipeline records every change. */
async function start() {
  const plane = await startDevicePlane(stores);
  planes.push(plane);
  await plane.pins.open();
  await plane.rolledBack.open();
  await plane.index.open();
  const request = (_call: unknown, change: RequestOf<typeof recordPins>, caller: object) => {
    expect(Object.keys(caller)).toEqual(['actor', 'commandId']);
    recorded.push(change);
    return Promise.resolve({ recorded: true });
  };
  const { pins, hashes, index } = plane;
  const { documents, messaging, clock } = stores;
  const handlers = new PinHandlers(pins, hashes, index, documents, { request } as never, clock);
  const devices = new DeviceHandlers(documents, hashes, NO_GROUPS, () => '', messaging, clock);
  const caller = { actor: 'token:1', commandId: 'c', bodyHash: 'of a body that names devices' };
  const change = (more: Partial<Parameters<PinHandlers['change']>[0]>, id = NEXT.buildId) =>
    handlers.change({ appId: 1, id, add: [], remove: [], ...more }, caller);
  return {
    ...{ plane, handlers, change },
    pinIn: (channel: string, more: Partial<Parameters<PinHandlers['change']>[0]>) =>
      handlers.changeOfChannel({ appId: 1, channel, add: [], remove: [], ...more }, caller),
    get: (deviceId: string) => devices.get({ appId: 1, deviceId }),
    forget: (deviceId: string) => devices.forget({ appId: 1, deviceId }, { actor: 'token:1', commandId: 'forget' }),
    offered: (deviceId: string, version = '0.9.0') => {
      const headers = { 'x-api-key': key, 'x-device-id': deviceId, 'x-platform': 'ios', 'x-current-version': version };
      const { version: offered } = JSON.parse(plane.check(headers, 'production').body) as Partial<UpdateAnswer>;
      return offered;
    },
    explained: (deviceId: string) =>
      new Explanations(index, hashes).explain({
        ...{ appId: 1, deviceId, channel: 'production', platform: 'ios', version: '0.9.0' },
      }),
  };
}

describe('a device that is pinned to a build', () => {
  it('is offered the build from the response on, by every process within about a second, and after a restart', async () => {
    const [one, other] = [await start(), await start()];
    const pinned = await one.change({ add: ['phone', 'phone', 'tablet'] });
    const end = new Date(stores.clock.time + 90 * DAY).toISOString();
    expect(pinned).toEqual({
      ...{ build_id: 2, devices: 2, first_expires_at: end, last_expires_at: end, warnings: [] },
    });
    expect(recorded).toEqual([{ appId: 1, id: 2, added: 2, removed: 0, devices: 2, until: end }]);
    expect(['phone', 'tablet', 'other'].map((device) => one.offered(device))).toEqual(['1.1.0', '1.1.0', '1.0.0']);
    expect(one.explained('phone')).toMatchObject({
      offered: { build_id: 2 },
      newer: [
        { build_id: 2, pinned: true, why_not: [] },
        { build_id: 1, pinned: false, why_not: ['newer_offered'] },
      ],
    });
    expect(one.explained('other').newer[0]).toMatchObject({ pinned: false, why_not: ['rollout'] });
    await eventually(() => other.offered('phone') === '1.1.0');
    expect((await start()).offered('phone')).toBe('1.1.0');
    expect(JSON.stringify(await rows())).not.toContain('phone');
  });

  it('gets a new end, and is not offered the build once that has passed', async () => {
    const { change, offered, handlers } = await start();
    await change({ add: ['phone'] });
    const soon = new Date(stores.clock.time + 5_000).toISOString();
    expect(await change({ add: ['phone'], expiresAt: soon })).toMatchObject({ devices: 1, last_expires_at: soon });
    expect(await rows()).toHaveLength(1);
    expect(offered('phone')).toBe('1.1.0');
    stores.clock.time += 5_000;
    await eventually(() => offered('phone') === '1.0.0');
    expect(await handlers.get({ appId: 1, id: 2 })).toEqual({
      ...{ build_id: 2, devices: 0, first_expires_at: null, last_expires_at: null },
    });
    stores.clock.time += 61_000;
    const settings = { reportRetentionDays: 90, deviceStateDays: 30 };
    await new ReportRetention(stores.documents, stores.clock, settings, recordingLogger(failOnLine)).sweep();
    expect(await rows()).toEqual([]);
  });

  it('is no longer offered the build once its pin, or every pin of the build, was removed', async () => {
    const [one, other] = [await start(), await start()];
    await one.change({ add: ['phone', 'tablet'] });
    await eventually(() => other.offered('phone') === '1.1.0');
    stores.clock.time += 1_000;
    expect(await one.change({ remove: ['phone', 'unknown'] })).toMatchObject({ devices: 1 });
    expect([one.offered('phone'), one.offered('tablet')]).toEqual(['1.0.0', '1.1.0']);
    await eventually(() => other.offered('phone') === '1.0.0');
    stores.clock.time += 1_000;
    expect(await other.change({ remove: 'all' })).toMatchObject({ devices: 0 });
    await eventually(() => one.offered('tablet') === '1.0.0');
    expect(recorded.map(({ added, removed, devices }) => [added, removed, devices])).toEqual([
      [2, 0, 2],
      [0, 1, 1],
      [0, 1, 0],
    ]);
    await one.change({ remove: ['phone'] });
    expect(recorded).toHaveLength(3);
  });

  it('is found under each version of the key, and stays one pin', async () => {
    const { change, plane, offered, get } = await start();
    const of = plane.hashes.all.bind(plane.hashes);
    await change({ add: ['phone'] });
    jest.spyOn(plane.hashes, 'all').mockImplementation(async (...device) => ['newest', ...(await of(...device))]);
    jest.spyOn(plane.hashes, 'known').mockReturnValue(['newest', ...(await of(1, 'phone'))]);
    expect(offered('phone')).toBe('1.1.0');
    stores.clock.time += 1_000;
    expect(await change({ add: ['phone'] })).toMatchObject({ devices: 1 });
    expect((await get('phone')).pins).toHaveLength(1);
    expect(offered('phone')).toBe('1.1.0');
    stores.clock.time += 1_000;
    expect(await change({ remove: ['phone'] })).toMatchObject({ devices: 0 });
    expect(offered('phone')).toBe('1.0.0');
  });

  it('is erased with the device, in every process', async () => {
    const [one, other] = [await start(), await start()];
    await one.change({ add: ['phone', 'tablet'] });
    await eventually(() => other.offered('phone') === '1.1.0');
    expect((await one.get('phone')).pins).toMatchObject([{ build_id: 2 }]);
    await one.forget('phone');
    expect(await rows()).toHaveLength(1);
    expect((await one.get('phone')).pins).toEqual([]);
    await eventually(() => one.offered('phone') === '1.0.0' && other.offered('phone') === '1.0.0');
    expect(other.offered('tablet')).toBe('1.1.0');
  });

  it('goes with its build', async () => {
    const { change } = await start();
    await change({ add: ['phone'] });
    await change({ add: ['phone'] }, GOOD.buildId);
    const deleted: BuildEvent = { type: 'BuildDeleted', data: { buildId: 2, objectKey: 'o', jobId: null } };
    await stores.append('channel-1-production', deleted);
    await eventually(async () => (await rows()).length === 1);
    expect(await rows()).toMatchObject([{ target: String(GOOD.buildId) }]);
  });

  it('warns where a pin has no effect', async () => {
    const { plane, change } = await start();
    const record = (deviceId: string, status: 'complete' | 'rollback', facts = NEXT) =>
      fetch(`${plane.address}/api/v1/analytics/install`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'X-Device-ID': deviceId, 'Content-Type': 'application/json' },
        body: JSON.stringify({ bundle_id: facts.bundleId, status }),
      });
    await record('current', 'complete');
    await record('back', 'rollback');
    const warned = async (...ofBuild: Parameters<typeof change>) =>
      (await change(...ofBuild)).warnings.map(({ device_id, warning }) => [device_id, warning]);
    expect(await warned({ add: ['current', 'back', 'new'] })).toEqual([
      ['current', 'not_newer'],
      ['back', 'rolled_back'],
    ]);
    expect(await warned({ remove: ['current'] })).toEqual([]);
    const halted = { buildId: 2, rolloutPercentage: 100, enabled: false };
    await stores.change(NEXT, { type: 'RolloutChanged', data: halted });
    expect(await warned({ add: ['new'] })).toEqual([[null, 'not_offered']]);
    await stores.change(NEXT, { type: 'RolloutChanged', data: { ...halted, enabled: true } });
    expect(await warned({ add: ['new'] }, GOOD.buildId)).toEqual([[null, 'newer_offered']]);
    for (const rule of [{ fingerprint: 'f00d' }, { nativeRange: '>=2' }, { audience: { groups: ['beta'] } }]) {
      await stores.change(NEXT, { type: 'BuildEdited', data: { buildId: 2, ...rule } });
      expect(await warned({ add: ['new'] }, GOOD.buildId)).toEqual([]);
      const none = { fingerprint: null, nativeRange: null, audience: null };
      await stores.change(NEXT, { type: 'BuildEdited', data: { buildId: 2, ...none } });
      expect(await warned({ add: ['new'] }, GOOD.buildId)).toEqual([[null, 'newer_offered']]);
    }
  });

  it('rejects the build of another app, an end in the past or too far away, and more pins than an app may have', async () => {
    const { change, plane } = await start();
    await expect(change({ add: ['phone'] }, 3)).rejects.toMatchObject({ code: 'BUILD_NOT_FOUND' });
    for (const away of [-1, 366 * DAY]) {
      const expiresAt = new Date(stores.clock.time + away).toISOString();
      const errors = { expires_at: [expect.stringContaining(expiresAt)] };
      await expect(change({ add: ['phone'], expiresAt })).rejects.toMatchObject({ errors });
    }
    await change({ add: ['phone'] });
    jest.spyOn(plane.pins, 'size').mockResolvedValue(MAX_PINS.ofApp);
    await expect(change({ add: ['tablet'] })).rejects.toMatchObject({ code: 'PIN_LIMIT_REACHED' });
    expect(await change({ add: ['phone'] })).toMatchObject({ devices: 1 });
    expect(await rows()).toHaveLength(1);
    expect(recorded).toHaveLength(2);
  });
});

describe('a device that is pinned in a channel', () => {
  const setAudience = async (audience: Audience | null, id = 'production') => {
    const [name = ''] = id.split('.');
    const event = { type: 'ChannelAudienceSet', data: { appId: 1, id, name, audience } };
    const { position } = await stores.append('channels-1', event);
    expect(await stores.members.applied('channels-1', position)).toBe(true);
  };

  it('is in its audience whatever the rules, from the response on, and within about a second in every process', async () => {
    const [one, other] = [await start(), await start()];
    await setAudience({ pinned_only: true });
    expect(one.offered('phone')).toBeUndefined();
    expect(one.explained('phone').newer).toMatchObject([
      { build_id: 2, why_not: ['audience', 'rollout'], audience_unmet: [{ of: 'channel', pinned_only: true }] },
      { build_id: 1, why_not: ['audience'], audience_unmet: [{ of: 'channel', pinned_only: true }] },
    ]);
    const end = new Date(stores.clock.time + 90 * DAY).toISOString();
    expect(await one.pinIn('production', { add: ['phone', 'tablet'] })).toEqual({
      ...{ channel: 'production', devices: 2, first_expires_at: end, last_expires_at: end, warnings: [] },
    });
    expect(recorded).toEqual([{ appId: 1, channel: 'production', added: 2, removed: 0, devices: 2, until: end }]);
    // Its percentage stays.
    expect(['phone', 'tablet', 'other'].map((device) => one.offered(device))).toEqual(['1.0.0', '1.0.0', undefined]);
    expect(one.explained('phone')).toMatchObject({ offered: { build_id: 1 }, newer: [{ audience_unmet: [] }, {}] });
    await eventually(() => other.offered('phone') === '1.0.0');
    expect((await start()).offered('phone')).toBe('1.0.0');

    await setAudience({ attributes: { plan: { equal: 'pro' } } });
    expect([one.offered('phone'), one.offered('other')]).toEqual(['1.0.0', undefined]);
    await setAudience(null);
    expect(one.offered('other')).toBe('1.0.0');
    expect((await one.pinIn('production', { add: ['phone'] })).warnings).toMatchObject([{ warning: 'no_audience' }]);
    await setAudience({ pinned_only: true });
    stores.clock.time += 1_000;
    expect(await one.pinIn('production', { remove: ['phone'] })).toMatchObject({ devices: 1 });
    expect([one.offered('phone'), one.offered('tablet')]).toEqual([undefined, '1.0.0']);
    expect(await one.pinIn('production', { remove: 'all' })).toMatchObject({ devices: 0 });
    expect(one.offered('tablet')).toBeUndefined();
    expect(one.plane.index.builds.pins.of('1/production')).toBeUndefined();
  });

  it('is offered the build that it is pinned to, also outside of the audience', async () => {
    const { change, offered } = await start();
    await setAudience({ pinned_only: true });
    await change({ add: ['phone'] });
    expect([offered('phone'), offered('other')]).toEqual(['1.1.0', undefined]);
  });

  it('makes no build mandatory that it would not be offered', async () => {
    const { change, pinIn, explained } = await start();
    await stores.change(GOOD, { type: 'BuildEdited', data: { buildId: 1, mandatory: true } });
    await change({ add: ['phone', 'tablet'] });
    await setAudience({ pinned_only: true });
    await pinIn('production', { add: ['tablet'] });
    expect(explained('phone').offered).toEqual({
      ...{ build_id: 2, version: '1.1.0', mandatory: false, mandatory_because_of: [] },
    });
    expect(explained('tablet').offered).toMatchObject({ mandatory: true, mandatory_because_of: [1] });
  });

  it('is named by the data of the device, and erased with it', async () => {
    const { pinIn, change, get, forget } = await start();
    await pinIn('beta.1', { add: ['phone', 'tablet'] });
    await pinIn('production', { add: ['tablet'] });
    await change({ add: ['phone'] });
    const expires_at = new Date(stores.clock.time + 90 * DAY).toISOString();
    expect(await get('phone')).toMatchObject({
      ...{ channel_pins: [{ channel: 'beta', expires_at }], pins: [{ build_id: 2, expires_at }] },
    });
    await forget('phone');
    expect(await get('phone')).toMatchObject({ channel_pins: [], pins: [] });
    expect((await rows()).map(({ target }) => target).sort()).toEqual(['beta.1', 'production']);
  });
});

it('keeps a pin that is stored, and forgets a device, while an older page of the rows is still being read', async () => {
  const { plane, change, offered, forget } = await start();
  await change({ add: ['phone', 'tablet', 'watch'] });
  const { rows: stored } = plane.pins;
  const find = stored.find.bind(stored);
  let looks = 0;
  let goOn: () => void = () => undefined;
  jest.spyOn(stored, 'find').mockImplementation(async (query) => {
    const page = await find(query);
    if (query?.where === undefined || !('at' in query.where)) return page;
    looks += 1;
    if (looks === 1) {
      stores.clock.time += 1_000;
      await change({ remove: ['phone'] });
      await forget('watch');
      await delay(0);
    }
    // The first page is in memory, and lacks both. The second one has them.
    if (looks === 2) await new Promise<void>((resolve) => (goOn = resolve));
    return page;
  });
  await eventually(() => looks === 2);
  expect(['phone', 'tablet', 'watch'].map((device) => offered(device))).toEqual(['1.0.0', '1.1.0', '1.0.0']);
  goOn();
});
