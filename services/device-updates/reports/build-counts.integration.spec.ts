import { join } from 'node:path';
import type { DocumentStore, Rows } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { failOnLine, recordingLogger, type RecordingLogger, temporaryDirectory } from '@sluice/testing';
import { ServedBuilds } from '../serving/served-builds';
import type { ServingIndex } from '../serving/serving-index';
import type { ServingBuild } from '../serving/serving.projection';
import { BuildCountsHandlers } from './build-counts';
import { type DeviceReport, DeviceReports, deviceReports } from './device-reports';
import { deviceStates, stateIdOf } from './device-states';
import { beginningWith, buildMetric, BUILDS, MAX_LIVE_COUNTS } from './domain/report';
import { KEPT_MS } from './kept-counts';
import { ReportCounts } from './report-counts';
import { ReportRetention } from './report-retention';
import { RunningDevices } from './running-devices';

const DAY = 24 * 3_600_000;
const clock = { time: 0, now: () => new Date(clock.time), monotonic: () => clock.time };
const settings = { deviceStateDays: 30, reportRetentionDays: 30 };

let state: DocumentStore;
let reports: DeviceReports;
let builds: ServedBuilds;
let handlers: BuildCountsHandlers;
let logger: RecordingLogger;

beforeEach(async () => {
  clock.time = Date.parse('2026-03-01T12:00:00.000Z');
  state = await openSqliteDocumentStore({ path: join(temporaryDirectory(), 'state.db') });
  reports = new DeviceReports({ state, clock });
  builds = new ServedBuilds();
  const index = { builds, channelsOf: () => ['production'] } as unknown as ServingIndex;
  const running = new RunningDevices({ state, index, clock, settings });
  logger = recordingLogger();
  handlers = new BuildCountsHandlers(
    index,
    new ReportCounts({ state, clock }),
    running,
    state,
    clock,
    settings,
    logger,
  );
});
afterEach(() => state.close());

const add = (buildId: number, version: string, changes: Partial<ServingBuild> = {}) =>
  builds.replace(undefined, {
    ...{ id: String(buildId), appId: 1, buildId, bundleId: `bundle-${buildId}`, channel: 'production', version },
    ...{ status: 'active', rolloutEnabled: true, rolloutPercentage: 100, minNativeVersion: null, ...changes },
  } as unknown as ServingBuild);
const VERSIONS: Readonly<Record<number, string>> = { 1: '1.0.0', 2: '1.1.0' };
const install = (device: string, status: 'complete' | 'failed' | 'rollback', buildId = 2, from = '1.0.0') =>
  reports.record(
    1,
    device,
    { kind: 'install', buildId, status },
    { buildVersion: VERSIONS[buildId], previousVersion: from },
  );
const count = async () => {
  clock.time += KEPT_MS;
  return (await handlers.count({ apps: [1] }))[0]!;
};

it('counts devices, each once in each number, now and when its days are closed', async () => {
  add(1, '1.0.0');
  add(2, '1.1.0', { rolloutPercentage: 20 });
  for (const device of ['a', 'b', 'c']) await install(device, 'complete', 1);
  await install('a', 'complete');
  await install('b', 'complete');
  await install('b', 'rollback');
  await install('c', 'failed');
  await install('c', 'rollback');
  await install('c', 'rollback');
  await install('new', 'complete');
  const numbers = { installed: 3, failed: 1, rolled_back: 2 };
  const expected = { running: 2, channel_devices: 4, ...numbers, attempts: 4, failed_attempts: 2 };
  const { devices, builds: counted } = await count();
  expect(devices).toBe(4);
  expect(counted).toMatchObject([
    { build_id: 2, version: '1.1.0', channel: 'production', state: 'rolling_out', recalled: false, ...expected },
    { build_id: 1, running: 2, installed: 3, failed: 0, rolled_back: 0, attempts: 3, failed_attempts: 0 },
  ]);
  expect(counted[0]!.previous).toEqual({ build_id: 1, attempts: 3, failed_attempts: 0 });
  expect(counted[1]!.previous).toBeNull();
  expect(counted[0]!.days).toHaveLength(7);
  expect(counted[0]!.days.at(-1)).toEqual({ day: '2026-03-01', ...numbers });

  clock.time += 5 * DAY;
  await new ReportRetention(state, clock, settings, recordingLogger(failOnLine)).sweep();
  await install('late', 'failed');
  const later = (await count()).builds[0]!;
  expect(later).toMatchObject({ ...expected, channel_devices: 5, failed: 2, attempts: 5, failed_attempts: 3 });
  expect(later.days.filter((day) => day.installed + day.failed > 0)).toEqual([
    { day: '2026-03-01', ...numbers },
    { day: '2026-03-06', installed: 0, failed: 1, rolled_back: 0 },
  ]);
});

it('takes five active builds of a channel, and the recalled ones; and compares with the last one that was not recalled', async () => {
  for (let id = 1; id <= 7; id += 1) add(id, `1.${id}.0`);
  add(8, '2.0.0', { status: 'paused' });
  builds.recalls.replaceRecall(undefined, {
    ...{ id: '8', buildId: 8, appId: 1, channel: 'production', version: '2.0.0', target: 7 },
  });
  add(9, '3.0.0', { status: 'processing' });
  const { builds: counted } = await count();
  expect(counted.map(({ build_id: id, recalled, state: is }) => [id, recalled, is])).toEqual([
    ...[7, 6, 5, 4, 3].map((id) => [id, false, 'live']),
    [8, true, 'stopped'],
  ]);
  expect(counted.map(({ previous }) => previous?.build_id)).toEqual([6, 5, 4, 3, 2, 7]);
});

it('counts once for all who ask at the same time, and again after a moment', async () => {
  add(1, '1.0.0');
  const all = jest.spyOn(ReportCounts.prototype, 'reported');
  const ask = () => handlers.count({ apps: [1] });
  await Promise.all([ask(), ask(), ask()]);
  await ask();
  // The days that are over, and those that are not.
  expect(all).toHaveBeenCalledTimes(2);
  await install('a', 'complete', 1);
  clock.time += KEPT_MS - 1;
  expect((await ask())[0]!.builds[0]!.installed).toBe(0);
  clock.time += 1;
  expect((await ask())[0]!.builds[0]!.installed).toBe(1);
  expect(all).toHaveBeenCalledTimes(3);
  all.mockRestore();
});

it('counts as many outcomes of each of many apps as of a single one', async () => {
  const rows = Array.from({ length: MAX_LIVE_COUNTS + 1 }, (_, build) => ({
    ...{ id: String(build), appId: 1 + (build % 2), metric: buildMetric(build, 'rollbacks'), device: 'a' },
    ...{ day: '2026-03-01', at: '2026-03-01T12:00:00.000Z' },
  }));
  await state.rows(deviceReports).putMany(rows);
  const apps = { appId: { in: [1, 2] }, metric: beginningWith(BUILDS) };
  expect(await new ReportCounts({ state, clock }).reported(apps)).toHaveLength(rows.length);
});

it('counts the devices of an app by version, however many versions the clients of another one make up', async () => {
  const row = (appId: number, device: string, version: string) => ({
    ...{ id: stateIdOf(appId, device), appId, version, day: '2026-03-01', at: '2026-03-01T12:00:00.000Z' },
  });
  const madeUp = Array.from({ length: MAX_LIVE_COUNTS + 10 }, (_, n) =>
    ['a', 'b'].map((device) => row(2, `${device}${n}`, `9.${n}.0`)),
  );
  await state.rows(deviceStates).putMany([row(1, 'phone', '1.0.0'), ...madeUp.flat()]);
  add(1, '1.0.0');
  const [counted, other] = await handlers.count({ apps: [1, 2] });
  expect(counted).toMatchObject({ devices: 1, builds: [{ build_id: 1, running: 1 }] });
  expect(other!.devices).toBe(2 * MAX_LIVE_COUNTS);
});

it('counts the closed days of builds that are evicted from memory while others are counted', async () => {
  add(1, '1.0.0');
  await install('a', 'complete', 1);
  clock.time += 5 * DAY;
  await new ReportRetention(state, clock, settings, recordingLogger(failOnLine)).sweep();
  expect((await count()).builds[0]!.installed).toBe(1);
  add(2, '1.1.0');
  const past = handlers['past'];
  jest.spyOn(past, 'set').mockImplementation(() => (past.clear(), past));
  expect((await count()).builds.map(({ installed }) => installed)).toEqual([0, 1]);
});

it('looks at the failures of several builds simultaneously, and counts the other apps when those of one cannot be read', async () => {
  add(2, '1.1.0');
  add(3, '1.1.0', { appId: 2 });
  for (const status of ['failed', 'rollback', 'complete'] as const) {
    await install('a', status);
    await reports.record(2, 'a', { kind: 'install', buildId: 3, status });
  }
  const rows = state.rows.bind(state);
  let fail: (error: Error) => void = () => undefined;
  const failing = jest.spyOn(state, 'rows').mockImplementation(((collection: typeof deviceReports) => {
    const found: Rows<DeviceReport> = rows(collection);
    return Object.assign(Object.create(found) as typeof found, {
      countBy: (...asked: Parameters<typeof found.countBy>) => {
        const [[field], { appId } = {}] = asked;
        if (field !== 'device') return found.countBy(...asked);
        if (appId === 1) return new Promise((_resolve, reject) => (fail = reject));
        fail(new Error('It takes too long.'));
        return found.countBy(...asked);
      },
    });
  }) as typeof state.rows);
  clock.time += KEPT_MS;
  const [one, other] = await handlers.count({ apps: [1, 2] });
  failing.mockRestore();
  expect(other!.builds).toMatchObject([{ build_id: 3, attempts: 1, failed_attempts: 1 }]);
  // Each report counts as a device.
  expect(one!.builds).toMatchObject([{ build_id: 2, installed: 1, attempts: 3, failed_attempts: 2 }]);
  expect(logger.lines).toMatchObject([{ level: 'warn', fields: { builds: 1 } }]);
  expect((await count()).builds).toMatchObject([{ attempts: 1, failed_attempts: 1 }]);
});
