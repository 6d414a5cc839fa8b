import type { ChannelsEvent } from '@sluice/contracts';
import { ValidationError } from '@sluice/kernel';
import { eventually, failOnLine, recordingLogger } from '@sluice/testing';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DevicePlaneOptions,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { NO_GROUPS } from '../../../test/support/no-groups';
import type { UpdateAnswer } from '../../../test/support/http';
import { chosenChannels } from '../devices/chosen-channels';
import { DeviceHandlers } from '../reports/device.handlers';
import { ReportRetention } from '../reports/report-retention';
import { Explanations } from '../serving/explanations';
import { ChoiceStore } from './choice-store';

const DAY = 24 * 3_600_000;
const BETA = { appId: 1, id: 'beta.1', name: 'beta' };
const STABLE = buildFacts(1, '1.0.0');
const NEXT = buildFacts(2, '2.0.0', { channel: 'beta.1' });
const STAGED = buildFacts(3, '1.5.0', { channel: 'staging' });

let stores: DeviceStores;
let planes: DevicePlane[];
let key: string;

beforeEach(async () => {
  stores = await openDeviceStores();
  planes = [];
  for (const app of [1, 2]) await stores.registerApp(app);
  key = await stores.createKey(1, 1);
  const others: ChannelsEvent[] = [
    { type: 'ChannelAdded', data: { ...BETA, selfAssign: true } },
    { type: 'ChannelAdded', data: { appId: 1, id: 'closed-doors.2', name: 'closed-doors' } },
  ];
  await stores.append('channels-1', ...others);
  await stores.append('channels-2', {
    type: 'ChannelAdded',
    data: { appId: 2, id: 'other.1', name: 'other', selfAssign: true },
  });
  for (const build of [STABLE, NEXT, STAGED]) await stores.publish(build);
});
afterEach(async () => {
  for (const plane of planes) await plane.close();
  await stores.close();
});

const rows = () => stores.documents.rows(chosenChannels).find();

async function applied(stream: string, ...events: Parameters<DeviceStores['append']>[1][]): Promise<void> {
  const { position } = await stores.append(stream, ...events);
  expect(await stores.members.applied(stream, position)).toBe(true);
}
const change = (...events: ChannelsEvent[]) => applied('channels-1', ...events);

async function start(options: DevicePlaneOptions = {}) {
  const plane = await startDevicePlane(stores, options);
  planes.push(plane);
  await plane.choices.open();
  await plane.index.open();
  const { index, hashes } = plane;
  const devices = new DeviceHandlers(stores.documents, hashes, NO_GROUPS, () => '', stores.messaging, stores.clock);
  const send = async (method: string, body?: unknown, deviceId = 'phone', apiKey = key) => {
    const response = await fetch(`${plane.address}/api/v1/channel`, {
      method,
      headers: {
        ...{ 'X-API-Key': apiKey, 'X-Device-ID': deviceId },
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as object };
  };
  return {
    ...{ plane, send },
    choose: (channel: string, deviceId?: string) => send('POST', { channel }, deviceId),
    read: async (deviceId?: string) => (await send('GET', undefined, deviceId)).body,
    leave: (deviceId?: string) => send('DELETE', undefined, deviceId),
    /** @param requested undefined: the device names no channel */
    offered: (deviceId: string, requested?: string, platform = 'ios', apiKey = key) => {
      const headers = {
        'x-api-key': apiKey,
        'x-device-id': deviceId,
        'x-platform': platform,
        'x-current-version': '0.9.0',
      };
      return (JSON.parse(plane.check(headers, requested).body) as Partial<UpdateAnswer>).version;
    },
    explained: (deviceId: string, requested?: string, platform: 'ios' | 'web' = 'ios') => {
      const named = requested === undefined ? { channel: 'production', unnamed: true } : { channel: requested };
      const asked = { appId: 1, deviceId, platform, version: '0.9.0', ...named };
      const { channel, channel_from, offered } = new Explanations(index, hashes).explain(asked);
      return [channel, channel_from, offered?.version];
    },
    get: (deviceId: string) => devices.get({ appId: 1, deviceId }),
    forget: (deviceId: string) => devices.forget({ appId: 1, deviceId }, { actor: 'token:1', commandId: 'forget' }),
  };
}

const NO_CHOICE = { channel: null, expiresAt: null };

describe('a device that chose a channel', () => {
  it('gets its builds whichever channel it names, in every process within about a second, and after a restart', async () => {
    const [one, other] = [await start(), await start()];
    expect(await one.read()).toEqual(NO_CHOICE);
    const { status, body, headers } = await one.choose('beta');
    const expiresAt = new Date(stores.clock.time + 90 * DAY).toISOString();
    expect([status, body, headers.get('cache-control')]).toEqual([200, { channel: 'beta', expiresAt }, 'no-store']);
    expect(await other.read()).toEqual({ channel: 'beta', expiresAt });
    for (const requested of [undefined, 'production', 'staging']) {
      expect([one.offered('phone', requested), one.offered('tablet', requested)]).toEqual([
        '2.0.0',
        requested === 'staging' ? '1.5.0' : '1.0.0',
      ]);
    }
    expect(one.explained('phone', 'production')).toEqual(['beta', 'self_assigned', '2.0.0']);
    expect(one.explained('tablet', 'staging')).toEqual(['staging', 'requested', '1.5.0']);
    await eventually(() => other.offered('phone') === '2.0.0');
    expect((await start()).offered('phone')).toBe('2.0.0');
    expect(JSON.stringify(await rows())).not.toContain('phone');
    expect((await one.get('phone')).chosen_channel).toEqual({ channel: 'beta', expires_at: expiresAt });
  });

  it('leaves it, in every process', async () => {
    const [one, other] = [await start(), await start()];
    await one.choose('beta');
    await eventually(() => other.offered('phone') === '2.0.0');
    expect(await other.leave()).toMatchObject({ status: 200, body: NO_CHOICE });
    expect(other.offered('phone')).toBe('1.0.0');
    await eventually(() => one.offered('phone') === '1.0.0');
    expect([await one.read(), (await one.get('phone')).chosen_channel]).toEqual([NO_CHOICE, null]);
    expect(await one.leave('never')).toMatchObject({ status: 200, body: NO_CHOICE });
    expect(await rows()).toHaveLength(1);
    await one.choose('beta');
    expect(one.offered('phone')).toBe('2.0.0');
    await eventually(() => other.offered('phone') === '2.0.0');
  });

  it('keeps it for 90 days from its last choice, which is written at most once a day', async () => {
    const { choose, offered, plane } = await start();
    const first = await choose('beta');
    stores.clock.time += DAY - 1;
    expect((await choose('beta')).body).toEqual(first.body);
    stores.clock.time += 1;
    const expiresAt = new Date(stores.clock.time + 90 * DAY).toISOString();
    expect((await choose('beta')).body).toEqual({ channel: 'beta', expiresAt });
    stores.clock.time += 90 * DAY;
    await eventually(() => offered('phone') === '1.0.0');
    stores.clock.time += 61_000;
    const settings = { reportRetentionDays: 90, deviceStateDays: 30 };
    await new ReportRetention(stores.documents, stores.clock, settings, recordingLogger(failOnLine)).sweep();
    expect(await rows()).toEqual([]);
    expect(plane.logger.lines).toEqual([]);
  });

  it('loses it when devices may no longer choose the channel, and when that is deleted: a new one of the name is another', async () => {
    const { choose, offered, read, explained } = await start();
    await choose('beta');
    const edited = { ...BETA, expiresAt: null };
    await change({ type: 'ChannelEdited', data: { ...edited, selfAssign: false } });
    expect([offered('phone'), await read(), explained('phone')[1]]).toEqual(['1.0.0', NO_CHOICE, 'production']);
    await change({ type: 'ChannelEdited', data: { ...edited, selfAssign: true } });
    expect(offered('phone')).toBe('2.0.0');
    await change({ type: 'ChannelRemoved', data: BETA });
    expect([offered('phone'), await read()]).toEqual(['1.0.0', NO_CHOICE]);
    await eventually(async () => (await rows()).length === 0);
    await change({ type: 'ChannelAdded', data: { ...BETA, id: 'beta.3', selfAssign: true } });
    expect([offered('phone'), await read()]).toEqual(['1.0.0', NO_CHOICE]);
  });

  it('is still rejected where it names a channel that the app does not have, and is not told that another one is closed', async () => {
    const { choose, offered, plane } = await start();
    await choose('beta');
    const headers = { 'x-api-key': key, 'x-device-id': 'phone', 'x-platform': 'ios', 'x-current-version': '0.9.0' };
    expect(() => plane.check(headers, 'nope')).toThrow(ValidationError);
    await change({ type: 'ChannelRemoved', data: { appId: 1, id: 'closed-doors.2', name: 'closed-doors' } });
    expect([offered('phone', 'closed-doors'), offered('tablet', 'closed-doors')]).toEqual(['2.0.0', undefined]);
  });

  it('is found under each version of the key, and has one choice', async () => {
    const { plane, choose, offered, leave, read, forget } = await start();
    await choose('beta');
    const former = plane.hashes.known(1, 'phone');
    jest.spyOn(plane.hashes, 'known').mockReturnValue(['newest', ...former]);
    jest.spyOn(plane.hashes, 'all').mockResolvedValue(['newest', ...former]);
    expect(offered('phone')).toBe('2.0.0');
    await leave();
    expect([offered('phone'), await read()]).toEqual(['1.0.0', NO_CHOICE]);
    // The row of the choice that ended is deleted some time, and brings no earlier one back.
    await stores.documents.rows(chosenChannels).delete('1/newest');
    expect(await read()).toEqual(NO_CHOICE);
    await choose('beta');
    expect(offered('phone')).toBe('2.0.0');
    await forget('phone');
    expect(await rows()).toEqual([]);
    await eventually(() => offered('phone') === '1.0.0');
  });

  it('is erased in every process', async () => {
    const [one, other] = [await start(), await start()];
    for (const device of ['phone', 'tablet']) await one.choose('beta', device);
    await eventually(() => other.offered('phone') === '2.0.0' && other.offered('tablet') === '2.0.0');
    await one.forget('phone');
    await eventually(() => one.offered('phone') === '1.0.0' && other.offered('phone') === '1.0.0');
    expect([other.offered('tablet'), (await rows()).length]).toEqual(['2.0.0', 1]);
  });
});

describe('a choice of a channel', () => {
  it('is rejected in the same way where the app has no such channel, and where devices may not choose it', async () => {
    const { choose, send } = await start();
    const rejection = {
      status: 422,
      body: {
        errors: { channel: ['The channel must be one of the app that devices may choose: its self_assign is true.'] },
      },
    };
    for (const name of ['nope', 'other', 'closed-doors', 'production'])
      expect(await choose(name)).toMatchObject(rejection);
    expect(await choose('Beta')).toMatchObject({ status: 422, body: { errors: { channel: [expect.any(String)] } } });
    expect(await send('POST', {})).toMatchObject({ status: 422, body: { errors: { channel: [expect.any(String)] } } });
    expect(await send('POST', [])).toMatchObject({ status: 422, body: { errors: { body: [expect.any(String)] } } });
    expect(await rows()).toEqual([]);
  });

  it('needs a key and a device id, and counts for the limit of the device', async () => {
    const { send } = await start({ limitDevicePerMinute: 3 });
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect(await send(method, undefined, 'phone', '')).toMatchObject({ status: 401 });
      expect(await send(method, undefined, '')).toMatchObject({
        status: 400,
        body: { error: { code: 'MISSING_DEVICE_ID' } },
      });
      expect(await send(method, undefined, 'x'.repeat(256))).toMatchObject({ status: 422 });
      expect((await send(method, method === 'POST' ? { channel: 'beta' } : undefined)).status).toBe(200);
    }
    expect(await send('GET')).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
  });

  it('of a key that belongs to a channel is for this one alone, and never decides against it', async () => {
    const own = await stores.createKey(2, 1);
    const restrict = (channels: string[]) =>
      stores.append('apiKeys-1', {
        type: 'ApiKeyRestricted',
        data: { id: 2, restrictions: { channels } },
      });
    await restrict(['staging']);
    const { send, choose, offered } = await start();
    await choose('beta');
    expect((await send('GET', undefined, 'phone', own)).body).toEqual(NO_CHOICE);
    const restricted = { status: 403, body: { error: { code: 'API_KEY_RESTRICTED' } } };
    expect(await send('POST', { channel: 'beta' }, 'phone', own)).toMatchObject(restricted);
    expect(offered('phone', undefined, 'ios', own)).toBe('1.5.0');
    const several = await restrict(['staging', 'beta']);
    expect(await stores.members.applied('apiKeys-1', several.position)).toBe(true);
    // Neither channel is requested: production, which the key is not for, is not looked at.
    expect([offered('phone', undefined, 'ios', own), offered('phone', 'staging', 'ios', own)]).toEqual([
      '2.0.0',
      '2.0.0',
    ]);
    expect((await send('POST', { channel: 'beta' }, 'phone', own)).status).toBe(200);
    const others = await restrict(['staging', 'production']);
    expect(await stores.members.applied('apiKeys-1', others.position)).toBe(true);
    expect([offered('phone', undefined, 'ios', own), offered('phone', 'staging', 'ios', own)]).toEqual([
      '1.0.0',
      '1.5.0',
    ]);
  });

  it('is rejected with 429 once as many devices have one as may, but not of a device that has one', async () => {
    const { plane } = await start();
    const { index, logger } = plane;
    const { events, documents: state, messaging, clock } = stores;
    const of = (max: { ofApp: number; ofAll: number }) =>
      new ChoiceStore({ index, events, state, messaging, clock, logger, max });
    const few = of({ ofApp: 2, ofAll: 100 });
    for (const hash of ['a', 'b']) await few.choose(1, [hash], 'beta.1');
    const full = { code: 'RATE_LIMITED', details: { retry_after: 3_600 } };
    await expect(few.choose(1, ['c'], 'beta.1')).rejects.toMatchObject(full);
    stores.clock.time += 2 * DAY;
    await few.choose(1, ['a'], 'beta.1');
    await few.choose(2, ['c'], 'other.1');
    await expect(of({ ofApp: 100, ofAll: 3 }).choose(2, ['d'], 'other.1')).rejects.toMatchObject(full);
    // A choice that is over counts until its row was deleted: else two requests for each device would need no room.
    await few.leave(1, ['a']);
    await expect(few.choose(1, ['c'], 'beta.1')).rejects.toMatchObject(full);
    expect(await few.choose(1, ['a'], 'beta.1')).toMatchObject({ channel: 'beta.1' });
  });

  it('is later than every earlier one of the device, whatever the clock of the other process shows', async () => {
    const [one, other] = [await start(), await start()];
    await one.choose('beta');
    stores.clock.time -= 20_000;
    await other.leave();
    await eventually(() => one.offered('phone') === '1.0.0');
    expect(await one.read()).toEqual(NO_CHOICE);
  });
});

describe('a device that names no channel', () => {
  const defaults = (defaultChannels: object) =>
    applied('app-1', { type: 'AppEdited', data: { id: 1, defaultChannels } });

  it('gets the default channel of its platform, else that of all, else production', async () => {
    const { offered, explained } = await start();
    await defaults({ ios: 'staging', all: 'beta' });
    expect(['ios', 'android', 'web', 'all'].map((platform) => offered('phone', undefined, platform))).toEqual([
      ...['1.5.0', '2.0.0', '2.0.0', '2.0.0'],
    ]);
    expect(offered('phone', 'production')).toBe('1.0.0');
    expect(explained('phone')).toEqual(['staging', 'default', '1.5.0']);
    expect(explained('phone', undefined, 'web')).toEqual(['beta', 'default', '2.0.0']);
    expect(explained('phone', 'production')).toEqual(['production', 'requested', '1.0.0']);
    await defaults({ ios: 'beta' });
    expect([offered('phone'), offered('phone', undefined, 'web')]).toEqual(['2.0.0', '1.0.0']);
    await change({ type: 'ChannelRemoved', data: BETA });
    expect([offered('phone'), explained('phone')]).toEqual(['1.0.0', ['production', 'production', '1.0.0']]);
    await defaults({});
    expect(offered('phone')).toBe('1.0.0');
  });

  it('gets the channel that it has chosen before the default, and that of its key before both', async () => {
    const own = await stores.createKey(2, 1);
    const restrictions = { channels: ['production'] };
    await stores.append('apiKeys-1', { type: 'ApiKeyRestricted', data: { id: 2, restrictions } });
    const { choose, offered } = await start();
    await defaults({ ios: 'staging' });
    await choose('beta');
    expect([offered('phone'), offered('tablet'), offered('phone', undefined, 'ios', own)]).toEqual([
      '2.0.0',
      '1.5.0',
      '1.0.0',
    ]);
  });
});

it('does not send devices to a default channel that their key is not for', async () => {
  const own = await stores.createKey(2, 1);
  const restrictions = { channels: ['production', 'beta'] };
  await stores.append('apiKeys-1', { type: 'ApiKeyRestricted', data: { id: 2, restrictions } });
  await stores.append('app-1', { type: 'AppEdited', data: { id: 1, defaultChannels: { all: 'staging' } } });
  const { offered } = await start();
  expect([offered('phone'), offered('phone', undefined, 'ios', own)]).toEqual(['1.5.0', '1.0.0']);
});

it('hashes the id of no device of an app that does not use it', async () => {
  const { plane, offered } = await start();
  const known = jest.spyOn(plane.hashes, 'known');
  expect([offered('phone'), offered('phone', 'staging')]).toEqual(['1.0.0', '1.5.0']);
  expect(known).not.toHaveBeenCalled();
});
