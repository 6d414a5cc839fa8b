import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { failOnLine, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import { DeviceHashes } from '../devices/device-hashes';
import { DeviceReports, deviceReports, type ReportDetails } from './device-reports';
import { devicesByVersion, deviceStates } from './device-states';
import { NO_GROUPS } from '../../../test/support/no-groups';
import { DeviceHandlers } from './device.handlers';
import type { Report } from './domain/report';
import { ReportRetention } from './report-retention';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const logger = recordingLogger(failOnLine);

let folder: string;
let state: DocumentStore;
let files = 0;

beforeAll(() => {
  folder = temporaryDirectory();
});
beforeEach(async () => {
  clock.time = START;
  state = await openSqliteDocumentStore({ path: join(folder, `${(files += 1)}.db`) });
});
afterEach(() => state.close());

const active = (version: string, nativeVersion?: string): Report => ({
  ...{ kind: 'active', version, platform: 'ios', nativeVersion },
});
const installed = (status: 'complete' | 'failed' | 'rollback', buildId = 7): Report => ({
  ...{ kind: 'install', buildId, status },
});

/** As a process has it, with the versions of the device key that the store holds now. */
async function process() {
  const vault = createVault({ state, masterKeys: { current: Buffer.alloc(32, 1) }, now: () => clock.time });
  const hashes = new DeviceHashes({ keys: await vault.dataKeys('device-id'), clock });
  const reports = new DeviceReports({ state, clock });
  const devices = new DeviceHandlers(state, hashes, NO_GROUPS, () => '', { announce: () => undefined }, clock);
  return {
    vault,
    report: async (deviceId: string, report: Report, details: ReportDetails = {}, appId = 1): Promise<void> => {
      const { hash, otherHashes } = hashes.of(appId, deviceId);
      await reports.record(appId, hash, report, details, otherHashes);
      clock.time += 1_000;
    },
    get: (deviceId: string) => devices.get({ appId: 1, deviceId }),
    list: (deviceId: string, page = 1, perPage = 50) => devices.reports({ appId: 1, deviceId, page, perPage }),
    forget: (deviceId: string) => devices.forget({ appId: 1, deviceId }, { actor: 'token:1', commandId: 'forget' }),
  };
}

const rows = () => state.rows(deviceStates).find();

describe('the state of a device', () => {
  it('is one row that each report overwrites with its values', async () => {
    const { report, get } = await process();
    await report('phone', active('1.0.0', '3.0.0'));
    expect((await get('phone')).state).toEqual({
      ...{ last_seen_at: '2026-03-01T12:00:00.000Z', version: '1.0.0', native_version: '3.0.0', platform: 'ios' },
      ...{ channel: null, api_key_id: null, last_outcome: null },
    });
    await report('phone', installed('complete'), { buildVersion: '1.1.0', platform: 'android' });
    const expected = {
      ...{ version: '1.1.0', native_version: '3.0.0', platform: 'android' },
      last_outcome: { build_id: 7, report: 'install', status: 'complete' },
    };
    expect((await get('phone')).state).toMatchObject(expected);
    clock.time += DAY;
    await report('phone', { kind: 'download', buildId: 8, status: 'failed' }, { buildVersion: '1.2.0' });
    const outcome = { build_id: 8, report: 'download', status: 'failed' };
    expect((await get('phone')).state).toMatchObject({ ...expected, last_outcome: outcome });
    expect(await rows()).toMatchObject([{ appId: 1, day: '2026-03-02' }]);
  });

  it('names the version that a device went back to, or none', async () => {
    const { report, get } = await process();
    await report('phone', installed('complete'), { buildVersion: '1.1.0' });
    await report('phone', installed('rollback'), { buildVersion: '1.1.0', previousVersion: 'v1.0' });
    expect((await get('phone')).state?.version).toBe('1.0.0');
    await report('phone', installed('complete', 8), { buildVersion: '1.2.0' });
    await report('phone', installed('rollback', 8), { buildVersion: '1.2.0' });
    expect((await get('phone')).state).toMatchObject({ version: null, last_outcome: { status: 'rollback' } });
  });

  it('is overwritten by a report that is not counted, such as that of a device which returned to an earlier build', async () => {
    const { report, get } = await process();
    for (const version of ['1.0.0', '1.1.0', '1.0.0']) await report('phone', active(version));
    expect((await get('phone')).state?.version).toBe('1.0.0');
  });

  it('moves with the device to a new version of its key', async () => {
    const before = await process();
    await before.report('phone', active('1.0.0', '3.0.0'));
    await before.report('phone', installed('failed'));
    await before.vault.rotateDataKeys(['device-id']);
    clock.time += 120_000;
    const after = await process();
    await after.report('phone', active('1.1.0'));
    expect(await rows()).toHaveLength(1);
    expect((await after.get('phone')).state).toMatchObject({
      ...{ version: '1.1.0', native_version: '3.0.0' },
      last_outcome: { build_id: 7, report: 'install', status: 'failed' },
    });
  });

  it('counts devices by the version that they last reported, of an app and of the days that are kept', async () => {
    const { report } = await process();
    for (const device of ['a', 'b', 'c']) await report(device, active('1.0.0'));
    await report('a', active('1.1.0'));
    await report('d', installed('rollback'));
    await report('e', active('1.0.0'), {}, 2);
    const count = async () =>
      Object.fromEntries(await devicesByVersion(state, 1, { today: clock.now().toISOString().slice(0, 10), days: 30 }));
    expect(await count()).toEqual({ '1.0.0': 2, '1.1.0': 1 });
    clock.time += 30 * DAY;
    expect(await count()).toEqual({ '1.0.0': 2, '1.1.0': 1 });
    clock.time += DAY;
    expect(await count()).toEqual({});
  });

  it('goes DEVICE_STATE_DAYS after the last report of the device', async () => {
    const { report } = await process();
    const sweep = () =>
      new ReportRetention(state, clock, { reportRetentionDays: 90, deviceStateDays: 30 }, logger).sweep();
    await report('old', active('1.0.0'));
    await report('phone', active('1.0.0'));
    clock.time += 30 * DAY;
    await report('phone', active('1.0.0'));
    await sweep();
    expect(await rows()).toHaveLength(2);
    clock.time += DAY;
    await sweep();
    expect(await rows()).toMatchObject([{ day: '2026-03-31' }]);
  });
});

describe('what is kept of a device', () => {
  it('is returned completely, in pages, under every version of the key, and is deleted with the device', async () => {
    const before = await process();
    await before.report('phone', active('1.0.0', '3.0.0'));
    await before.report('phone', active('1.1.0', '3.0.0'));
    await before.report('phone', installed('failed'), { error: 'no space', previousVersion: '1.0.0' });
    await before.report('other', installed('complete'));
    await before.vault.rotateDataKeys(['device-id']);
    clock.time += 120_000;
    const after = await process();
    await after.report('phone', installed('complete', 8));

    const kept = await after.list('phone');
    expect(kept.total).toBe(3);
    const none = { status: null, build_id: null, version: null, native_version: null, platform: null };
    const more = { error: null, previous_version: null, inferred: false };
    const at = (second: number): string => `2026-03-01T12:0${second < 60 ? 0 : 2}:0${second % 60}.000Z`;
    expect(kept.items).toEqual([
      { ...none, ...more, id: 'build/8/installs', report: 'install', status: 'complete', build_id: 8, at: at(124) },
      {
        ...{ ...none, ...more, id: 'active/2026-03-01', report: 'active', version: '1.1.0', platform: 'ios' },
        ...{ native_version: '3.0.0', at: at(1) },
      },
      {
        ...{ ...none, id: 'build/7/install_failures', report: 'install', status: 'failed', build_id: 7 },
        ...{ ...more, error: 'no space', previous_version: '1.0.0', at: at(2) },
      },
    ]);
    const pages = await Promise.all([1, 2, 3].map((page) => after.list('phone', page, 2)));
    expect(pages.map(({ items }) => items.map(({ id }) => id))).toEqual([
      kept.items.slice(0, 2).map(({ id }) => id),
      kept.items.slice(2).map(({ id }) => id),
      [],
    ]);
    expect(await after.get('phone')).toMatchObject({ state: { version: '1.1.0' }, reports: 3 });

    expect(await after.forget('phone')).toEqual({ deleted: 3 });
    expect(await after.get('phone')).toEqual({
      ...{ state: null, reports: 0, rolled_back: [], pins: [], channel_pins: [], groups: [], chosen_channel: null },
    });
    expect(await after.list('phone')).toEqual({ items: [], total: 0 });
    expect(await state.rows(deviceReports).count()).toBe(1);
    expect(await rows()).toHaveLength(1);
  });
});
