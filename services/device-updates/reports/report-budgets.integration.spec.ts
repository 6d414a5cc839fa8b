import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { DeviceReports, deviceReports } from './device-reports';
import { DiskFloor } from './disk-floor';
import { ReportBudgets } from './report-budgets';
import { ReportCounts } from './report-counts';
import { OTHER_ERRORS, reportErrors, ReportErrors } from './report-errors';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const AT = new Date(START).toISOString();
const HOUR = 3_600_000;

let folder: string;
let state: DocumentStore;
let files = 0;
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const logger = recordingLogger();

beforeAll(() => {
  folder = temporaryDirectory();
});
beforeEach(async () => {
  clock.time = START;
  logger.lines.length = 0;
  state = await openSqliteDocumentStore({ path: join(folder, `${(files += 1)}.db`) });
});
afterEach(() => state.close());

describe('ReportBudgets', () => {
  const open = async (perApp: number, perOwner: number) => {
    const settings = { reportsPerAppPerDay: perApp, reportsPerOwnerPerDay: perOwner };
    const budgets = new ReportBudgets({ state, clock, settings, logger });
    const reports = new DeviceReports({ state, clock, budgets });
    // So that no count runs in the background during the reports of a test.
    for (const appId of [1, 2, 3]) await budgets.refresh(appId, 1);
    await budgets.refresh(9, 2);
    let device = 0;
    const report = async (appId: number, ownerId: number, id = `device-${(device += 1)}`) => {
      budgets.check(appId, ownerId);
      await reports.record(appId, id, { kind: 'install', buildId: 7, status: 'complete' });
    };
    return { budgets, report };
  };
  it('rejects reports of an app beyond its budget, and of no other app', async () => {
    const { report } = await open(3, 100);
    for (let sent = 0; sent < 3; sent += 1) await report(1, 1);
    await expect(report(1, 1)).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retry_after: 3_600 } });
    await expect(report(2, 1)).resolves.toBeUndefined();
    expect(logger.messages).toEqual([expect.stringContaining('app 1')]);
  });

  it('adds up the apps of one owner', async () => {
    const { report } = await open(100, 4);
    for (let sent = 0; sent < 4; sent += 1) await report(1 + (sent % 2), 1);
    await expect(report(3, 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(report(9, 2)).resolves.toBeUndefined();
  });

  it('does not count the same report twice', async () => {
    const { report } = await open(2, 100);
    for (let sent = 0; sent < 5; sent += 1) await report(1, 1, 'the same');
    await expect(report(1, 1)).resolves.toBeUndefined();
  });

  it('counts what was stored before and by other processes', async () => {
    const one = await open(4, 100);
    await one.report(1, 1, 'a');
    await one.report(1, 1, 'b');
    const other = await open(4, 100);
    await other.report(1, 1, 'c');
    await other.report(1, 1, 'd');
    await expect(other.report(1, 1, 'e')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    // The first process looks again after a minute.
    expect(() => one.budgets.check(1, 1)).not.toThrow();
    clock.time += 60_000;
    await one.budgets.refresh(1, 1);
    expect(() => one.budgets.check(1, 1)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
  });

  it('begins again at midnight UTC, which Retry-After never passes', async () => {
    const { report, budgets } = await open(1, 100);
    await report(1, 1);
    clock.time += 11.75 * HOUR;
    expect(() => budgets.check(1, 1)).toThrow(expect.objectContaining({ details: { retry_after: 900 } }) as Error);
    clock.time += 0.25 * HOUR;
    await expect(report(1, 1, 'next day')).resolves.toBeUndefined();
  });
});

describe('ReportErrors', () => {
  const failed = { kind: 'install', buildId: 7, status: 'failed' } as const;
  const metric = 'build/7/install_failures';

  it('keeps a text once, however many devices report it', async () => {
    const reports = new DeviceReports({ state, clock });
    for (let device = 0; device < 30; device += 1) {
      await reports.record(1, `device-${device}`, failed, { error: device < 20 ? 'disk full' : 'bad checksum' });
    }
    expect((await state.rows(reportErrors).find()).map(({ text }) => text).sort()).toEqual([
      'bad checksum',
      'disk full',
    ]);
    const rows = await state.rows(deviceReports).find();
    expect(JSON.stringify(rows)).not.toContain('disk full');
    const counts = new ReportCounts({ state, clock });
    await expect(counts.errors(1, [metric], ['2026-03-01'])).resolves.toEqual([
      { metric, error: 'disk full', count: 20, firstAt: AT, lastAt: AT },
      { metric, error: 'bad checksum', count: 10, firstAt: AT, lastAt: AT },
    ]);
  });

  it('keeps 100 texts of a build and day, and counts the rest together', async () => {
    const reports = new DeviceReports({ state, clock });
    for (let device = 0; device < 150; device += 1) {
      await reports.record(1, `device-${device}`, failed, { error: `made up ${device}` });
    }
    expect(await state.rows(reportErrors).count()).toBe(100);
    const [first] = await new ReportCounts({ state, clock }).errors(1, [metric], ['2026-03-01']);
    expect(first).toEqual({ metric, error: '(other errors)', count: 50, firstAt: undefined, lastAt: undefined });
    // A process that starts later keeps to the same bound.
    const later = new ReportErrors(state);
    const source = { appId: 1, day: '2026-03-01', metric };
    await expect(later.intern(source, 'one more', AT)).resolves.toBe(OTHER_ERRORS);
    await expect(later.intern({ ...source, day: '2026-03-02' }, 'one more', AT)).resolves.not.toBe(OTHER_ERRORS);
  });

  it('adds texts that an earlier release wrote into the rows', async () => {
    const row = { appId: 1, metric, day: '2026-03-01', at: clock.now().toISOString() };
    await state.rows(deviceReports).put({ ...row, id: `1/old/${metric}`, device: 'old', error: 'disk full' });
    await new DeviceReports({ state, clock }).record(1, 'new', failed, { error: 'disk full' });
    await expect(new ReportCounts({ state, clock }).errors(1, [metric], ['2026-03-01'])).resolves.toEqual([
      { metric, error: 'disk full', count: 2, firstAt: AT, lastAt: AT },
    ]);
  });
});

describe('DiskFloor', () => {
  const GIB = 2 ** 30;
  const stored = (minFreeDiskBytes?: number, stateStoreUrl = `sqlite:${join(folder, 'state.db')}`) => ({
    ...{ minFreeDiskBytes, stateStoreUrl },
  });
  const floorOf = (minFreeBytes?: number) => {
    const disk = { free: 10 * GIB, size: 100 * GIB };
    const floor = new DiskFloor({ settings: stored(minFreeBytes), logger, free: () => Promise.resolve(disk) });
    return { disk, floor };
  };

  it('rejects reports while less than 1 GiB is free, and takes them again afterwards', async () => {
    const { disk, floor } = floorOf();
    await floor.look();
    expect(() => floor.check()).not.toThrow();
    disk.free = GIB - 1;
    await floor.look();
    await floor.look();
    expect(() => floor.check()).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 60, done: 'no' }) as Error,
    );
    disk.free = 2 * GIB;
    await floor.look();
    expect(() => floor.check()).not.toThrow();
    expect(logger.messages).toHaveLength(2);
  });

  it('takes 5% of a small disk, or what the setting says', async () => {
    const small = floorOf();
    Object.assign(small.disk, { free: 6_000_000, size: 100_000_000 });
    await small.floor.look();
    expect(() => small.floor.check()).not.toThrow();
    const set = floorOf(7_000_000);
    Object.assign(set.disk, { free: 6_000_000, size: 100_000_000 });
    await set.floor.look();
    expect(() => set.floor.check()).toThrow();
  });

  it('reads the disk of the folder, and warns where it cannot', async () => {
    const real = new DiskFloor({ settings: stored(Number.MAX_SAFE_INTEGER), logger });
    await real.start();
    await real.stop();
    expect(() => real.check()).toThrow();
    const missing = new DiskFloor({
      settings: stored(undefined, `sqlite:${join(folder, 'nowhere', 'state.db')}`),
      logger,
    });
    await missing.start();
    await missing.stop();
    expect(logger.messages.at(-1)).toBe('Could not read the free disk space');
    expect(() => missing.check()).not.toThrow();
  });

  it('watches nothing where reports are stored on another engine', async () => {
    const floor = new DiskFloor({ settings: stored(Number.MAX_SAFE_INTEGER, 'mongodb://localhost/sluice'), logger });
    await floor.start();
    expect(() => floor.check()).not.toThrow();
  });
});
