import { join } from 'node:path';
import { type DocumentStore, DocumentStoreUnavailableError } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { failOnLine, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { CheckCounts } from './check-counts';
import { DeviceReports, type ReportDetails } from './device-reports';
import type { Report } from './domain/report';
import { OfferedDevices, offeredDevices, readOffered } from './offered-devices';
import { ReportCounts } from './report-counts';
import { RunningDevices } from './running-devices';
import { StatsHandlers } from './stats.handlers';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const logger = recordingLogger(failOnLine);
const key = Buffer.alloc(32, 5);

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

describe('the devices that a build was offered', () => {
  const counting = () => new OfferedDevices({ state, clock, key });
  const offer = (to: OfferedDevices, first: number, last: number) => {
    for (let device = first; device < last; device += 1) to.note(1, 7, `device-${device}`);
  };
  const read = async () => (await readOffered(state, 1, [7])).get(7);

  it('are counted once by all processes together, within 2%, however often each writes', async () => {
    const [one, other] = [counting(), counting()];
    offer(one, 0, 3_000);
    offer(other, 2_000, 5_000);
    await Promise.all([one.write(), other.write()]);
    const merged = await state.rows(offeredDevices).find();
    expect(Math.abs((await read())!.devices - 5_000)).toBeLessThanOrEqual(100);

    // Again, in processes that have restarted too: the row stays as it is.
    const restarted = counting();
    for (const each of [one, other, restarted]) offer(each, 0, 5_000);
    for (const each of [restarted, other, one]) await each.write();
    expect(await state.rows(offeredDevices).find()).toEqual(merged);
    expect(JSON.stringify(merged).length).toBeLessThan(5_000);
  });

  it('are written for many builds simultaneously', async () => {
    let [writing, most] = [0, 0];
    const rows: DocumentStore['rows'] = (collection) => {
      const found = state.rows(collection);
      const put: typeof found.put = async (...args) => {
        most = Math.max(most, (writing += 1));
        const written = await found.put(...args);
        writing -= 1;
        return written;
      };
      return { ...found, put };
    };
    const offered = new OfferedDevices({ state: { ...state, rows }, clock, key });
    for (let build = 1; build <= 120; build += 1) offered.note(1, build, 'phone');
    await offered.write();
    expect(await state.rows(offeredDevices).count()).toBe(120);
    expect(most).toBe(50);
  });

  it('are written the next time if the store was unavailable', async () => {
    let away = true;
    const unavailable = () => Promise.reject(new DocumentStoreUnavailableError('It is unavailable.'));
    const rows: DocumentStore['rows'] = (collection) => {
      const found = state.rows(collection);
      return away ? { ...found, update: unavailable } : found;
    };
    const offered = new OfferedDevices({ state: { ...state, rows }, clock, key });
    offer(offered, 0, 10);
    await expect(offered.write()).rejects.toThrow(DocumentStoreUnavailableError);
    away = false;
    await offered.write();
    expect(await read()).toMatchObject({ devices: 10 });
  });

  it('count on the day on which they are offered it first', async () => {
    const offered = counting();
    offer(offered, 0, 30);
    await offered.write();
    clock.time += 2 * DAY;
    offer(offered, 0, 40);
    await offered.write();
    const days = [
      ['2026-03-01', 30],
      ['2026-03-03', 10],
    ];
    expect(await read()).toEqual({ devices: 40, days: new Map(days as [string, number][]) });
  });

  it('take no more memory than that of 2,000 builds between two writes', async () => {
    const offered = counting();
    for (let build = 1; build <= 2_001; build += 1) offered.note(1, build, 'phone');
    await offered.write();
    expect(await state.rows(offeredDevices).count()).toBe(2_000);
    // Those without a new device make room.
    await offered.write();
    offered.note(1, 2_001, 'phone');
    await offered.write();
    expect(await state.rows(offeredDevices).count()).toBe(2_001);
  });
});

describe('the statistics of a build', () => {
  const facts = (buildId: number, version: string, channel = 'production') => ({ appId: 1, buildId, version, channel });
  const builds = [
    facts(6, '1.0.0'),
    facts(7, '1.1.0'),
    facts(8, '1.1.0', 'staging'),
    facts(9, '1.0.0', 'staging'),
    facts(10, '0.9.0'),
  ].map((each) => ({ facts: each, buildId: each.buildId }));
  const index = {
    builds: {
      find: (id: number) => builds.find(({ buildId }) => buildId === id),
      ofVersion: (_: number, version: string) => builds.filter((each) => each.facts.version === version),
      rollbacks: { devicesOf: () => undefined },
    },
  };
  const statsOf = (id: number) => {
    const settings = { deviceStateDays: 30 };
    const running = new RunningDevices({ state, index: index as never, clock, settings });
    const counts = new ReportCounts({ state, clock });
    const handlers = new StatsHandlers(
      index as never,
      counts,
      {} as never,
      running,
      {} as never,
      state,
      clock,
      settings,
    );
    return handlers.build({ appId: 1, id, from: '2026-03-01', to: '2026-03-03' });
  };
  const report = async (device: string, sent: Report, details: ReportDetails = {}) => {
    await new DeviceReports({ state, clock }).record(1, device, sent, details);
    clock.time += 1_000;
  };
  const install = (device: string, buildId: number, buildVersion: string) =>
    report(device, { kind: 'install', buildId, status: 'complete' }, { buildVersion });
  const active = (device: string, version: string) => report(device, { kind: 'active', version, platform: 'ios' });

  it('count each device once at every stage', async () => {
    const checks = new CheckCounts({ state, clock, logger, key });
    for (const device of ['a', 'b', 'c', 'd', 'a', 'a']) checks.note(1, 'production', 7, device);
    await checks.stop();
    for (const device of ['a', 'a', 'b', 'c']) {
      await report(device, { kind: 'download', buildId: 7, status: 'complete' }, { buildVersion: '1.1.0' });
    }
    for (const device of ['a', 'b', 'b']) await install(device, 7, '1.1.0');
    await active('a', '1.1.0');
    const stats = await statsOf(7);
    expect(stats.totals).toMatchObject({ offered: 4, downloads: 3, installs: 2 });
    expect(stats.running).toBe(2);
    expect(stats.days).toMatchObject([{ day: '2026-03-01', offered: 4, checks: 6 }, { offered: 0 }, { offered: 0 }]);
  });

  it('count no fewer offers than downloads, as of builds that were offered before they were counted', async () => {
    await report('a', { kind: 'download', buildId: 7, status: 'complete' });
    expect((await statsOf(7)).totals).toMatchObject({ offered: 1, downloads: 1 });
  });

  it('count the devices whose last report is of the build, also where another channel has its version', async () => {
    const running = async () => Promise.all([6, 7, 8, 9, 10].map(async (id) => (await statsOf(id)).running));
    await install('a', 7, '1.1.0');
    await install('b', 8, '1.1.0');
    await active('b', '1.1.0');
    // Has it from its native app, and may have got it from either channel.
    await active('c', '1.1.0');
    await active('d', '0.9.0');
    expect(await running()).toEqual([0, 1, 1, 0, 1]);
    await report('a', { kind: 'install', buildId: 7, status: 'rollback' }, { previousVersion: '1.0.0' });
    await report('b', { kind: 'install', buildId: 8, status: 'rollback' }, {});
    expect(await running()).toEqual([1, 0, 0, 0, 1]);
    clock.time += 31 * DAY;
    expect(await running()).toEqual([0, 0, 0, 0, 0]);
  });

  it('name the first and the last time of each error, of downloads, installations and rollbacks', async () => {
    const fails = (device: string, status: 'failed' | 'rollback', error: string) =>
      report(device, { kind: 'install', buildId: 7, status }, { error });
    await fails('a', 'failed', 'disk full');
    await fails('b', 'failed', 'disk full');
    // The same report once more.
    await fails('a', 'failed', 'disk full');
    await fails('a', 'rollback', 'disk full');
    clock.time = START + 2 * DAY;
    await fails('c', 'failed', 'disk full');
    await report('d', { kind: 'download', buildId: 7, status: 'failed' }, { error: 'no network' });
    await fails('e', 'failed', 'disk full');
    expect((await statsOf(7)).errors).toEqual([
      {
        ...{ report: 'install', error: 'disk full', count: 4 },
        ...{ first_at: '2026-03-01T12:00:00.000Z', last_at: '2026-03-03T12:00:02.000Z' },
      },
      {
        ...{ report: 'download', error: 'no network', count: 1 },
        ...{ first_at: '2026-03-03T12:00:01.000Z', last_at: '2026-03-03T12:00:01.000Z' },
      },
      {
        ...{ report: 'rollback', error: 'disk full', count: 1 },
        ...{ first_at: '2026-03-01T12:00:03.000Z', last_at: '2026-03-01T12:00:03.000Z' },
      },
    ]);
  });
});
