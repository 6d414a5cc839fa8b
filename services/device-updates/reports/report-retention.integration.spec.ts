import { join } from 'node:path';
import type { DocumentStore, Row, Rows } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { deviceReports, DeviceReports } from './device-reports';
import { ReportCounts, reportTotals } from './report-counts';
import { beginningWith, BUILDS, VERSIONS, type Report } from './domain/report';
import { ReportRetention } from './report-retention';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-01T12:00:00.000Z');

const installed = (buildId: number): Report => ({ kind: 'install', buildId, status: 'complete' });
const active = (version: string): Report => ({ kind: 'active', version, platform: 'ios' });

let folder: string;
let store: DocumentStore;
let files = 0;
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };

const ahead = (ms: number) => ({ now: () => new Date(clock.time + ms), monotonic: () => clock.time });

beforeAll(() => {
  folder = temporaryDirectory();
});
const open = () => openSqliteDocumentStore({ path: join(folder, `${(files += 1)}.db`) });
beforeEach(async () => {
  clock.time = START;
  store = await open();
});
afterEach(() => store.close());

const over = (state: DocumentStore, aheadMs = 0, logger = recordingLogger()) => ({
  reports: new DeviceReports({ state, clock: ahead(aheadMs) }),
  retention: new ReportRetention(state, ahead(aheadMs), { reportRetentionDays: 3, deviceStateDays: 3 }, logger),
  count: async (appId: number, prefix: string): Promise<Record<string, number>> => {
    const counts = new ReportCounts({ state, clock });
    const counted =
      prefix === VERSIONS
        ? (await counts.active({ appId })).filter(({ metric }) => metric.startsWith(prefix))
        : await counts.reported({ appId, metric: beginningWith(prefix) });
    return Object.fromEntries(
      counted.map<[string, number]>(({ metric, day, count }) => [`${day} ${metric}`, count]).sort(),
    );
  },
});

it('folds a day an hour after it has ended, and says the same before and after', async () => {
  const { reports, retention, count } = over(store);
  await reports.record(1, 'd1', installed(7));
  await reports.record(1, 'd2', installed(7));
  await reports.record(2, 'd2', active('1.0.0'));
  clock.time += DAY;
  await reports.record(1, 'd3', installed(7));
  const expected = { '2026-03-01 build/7/installs': 2, '2026-03-02 build/7/installs': 1 };
  expect(await count(1, BUILDS)).toEqual(expected);

  await retention.sweep();
  expect(await store.rows(reportTotals).find()).toMatchObject([
    { appId: 1, metric: 'build/7/installs', day: '2026-03-01', count: 2 },
    { appId: 2, metric: 'active', day: '2026-03-01', count: 1 },
    { appId: 2, metric: 'platform/ios', day: '2026-03-01', count: 1 },
    { appId: 2, metric: 'version/1.0.0', day: '2026-03-01', count: 1 },
  ]);
  expect(await count(1, BUILDS)).toEqual(expected);
  expect(await store.rows(deviceReports).count()).toBe(4);

  clock.time = Date.parse('2026-03-03T00:59:59.999Z');
  await retention.sweep();
  expect(await store.rows(reportTotals).count()).toBe(4);
  clock.time += 1;
  await retention.sweep();
  expect(await store.rows(reportTotals).count()).toBe(5);
});

it('deletes reports of folded days once they are old enough, and keeps what they add up to', async () => {
  const { reports, retention, count } = over(store);
  for (let n = 0; n < 1_200; n += 1) void reports.record(1, `d${n}`, installed(7));
  await reports.record(1, 'last', installed(7));
  clock.time += 3 * DAY;
  expect(await retention.sweep()).toBe(0);
  clock.time += DAY;
  expect(await retention.sweep()).toBe(1_201);
  expect(await store.rows(deviceReports).count()).toBe(0);
  expect(await count(1, BUILDS)).toEqual({ '2026-03-01 build/7/installs': 1_201 });
});

it('keeps the most frequent versions of a day apart, and all others together', async () => {
  const { reports, retention, count } = over(store);
  for (let n = 0; n < 300; n += 1) await reports.record(1, `d${n}`, active(n < 20 ? '1.0.0' : `2.0.${n}`));
  clock.time += 2 * DAY;
  await retention.sweep();
  const counted = await count(1, VERSIONS);
  expect(Object.keys(counted)).toHaveLength(101);
  expect(counted['2026-03-01 version/1.0.0']).toBe(20);
  expect(counted['2026-03-01 version/other']).toBe(181);
});

/** A store that dies at the nth write. */
function dyingAt(state: DocumentStore, last: number): DocumentStore {
  let writes = 0;
  const alive = (): void => {
    if (writes >= last) throw new Error('killed');
    writes += 1;
  };
  const dying = <R extends Row>(rows: Rows<R>): Rows<R> => ({
    ...rows,
    put: async (row, guard) => (alive(), rows.put(row, guard)),
    putMany: async (given, guard) => (alive(), rows.putMany(given, guard)),
    deleteWhere: async (where, limit) => (alive(), rows.deleteWhere(where, limit)),
  });
  return { ...state, rows: (collection) => dying(state.rows(collection)) };
}

it('loses and duplicates nothing, wherever it is killed and however many processes run it simultaneously', async () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('report' as const), device: fc.nat(5), build: fc.integer({ min: 7, max: 8 }) }),
    fc.record({ type: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ type: fc.constant('sweep' as const), dies: fc.option(fc.nat(6)) }),
    fc.constant({ type: 'sweepTwice' as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const state = await open();
      try {
        clock.time = START;
        const { reports, retention, count } = over(state);
        const expected = new Map<string, number>();
        const known = new Set<string>();
        for (const [n, each] of steps.entries()) {
          if (each.type === 'wait') clock.time += each.hours * HOUR;
          if (each.type === 'report') {
            // After its report was deleted a device counts again: another device represents it here.
            const device = `d${each.device}-${n < 12 ? 'early' : 'late'}-${Math.floor((clock.time - START) / DAY)}`;
            await reports.record(1, device, installed(each.build));
            const metric = `build/${each.build}/installs`;
            const key = `${new Date(clock.time).toISOString().slice(0, 10)} ${metric}`;
            if (!known.has(device + metric)) expected.set(key, (expected.get(key) ?? 0) + 1);
            known.add(device + metric);
          }
          if (each.type === 'sweep' && each.dies === null) await retention.sweep();
          if (each.type === 'sweep' && each.dies !== null) {
            await over(dyingAt(state, each.dies))
              .retention.sweep()
              .catch(() => undefined);
          }
          if (each.type === 'sweepTwice') await Promise.all([retention.sweep(), over(state).retention.sweep()]);
          expect(await count(1, BUILDS)).toEqual(Object.fromEntries([...expected].sort()));
        }
      } finally {
        await state.close();
      }
    }),
    { numRuns: 15 },
  );
}, 120_000);

it('is counted right while days are folded and reports deleted', async () => {
  const { reports, retention, count } = over(store);
  for (let day = 0; day < 8; day += 1) {
    for (let n = 0; n < 40; n += 1) await reports.record(1, `d${day}-${n}`, installed(7));
    clock.time += DAY;
  }
  const expected = await count(1, BUILDS);
  let sweeping = true;
  const counting = (async () => {
    while (sweeping as boolean) expect(await count(1, BUILDS)).toEqual(expected);
  })();
  await retention.sweep();
  sweeping = false;
  await counting;
  expect(Object.values(expected)).toEqual(Array(8).fill(40));
});

describe('a clock that runs ahead', () => {
  it('folds days before they are over: they are opened again, and count what came since', async () => {
    const logger = recordingLogger();
    const right = over(store, 0, logger);
    const early = over(store, 2 * DAY + HOUR);
    await right.reports.record(1, 'd1', installed(7));
    await early.retention.sweep();
    await right.reports.record(1, 'd2', installed(7));
    await right.reports.record(1, 'd2', installed(8));
    await early.retention.sweep();

    await right.retention.sweep();
    expect(logger.messages).toEqual([expect.stringContaining('a clock runs ahead')]);
    const expected = { '2026-03-01 build/7/installs': 2, '2026-03-01 build/8/installs': 1 };
    expect(await right.count(1, BUILDS)).toEqual(expected);
    await early.retention.sweep();
    clock.time += 2 * DAY;
    await right.retention.sweep();
    expect(await right.count(1, BUILDS)).toEqual(expected);
    clock.time += 5 * DAY;
    expect(await right.retention.sweep()).toBe(3);
    expect(await right.count(1, BUILDS)).toEqual(expected);
  });

  it('dates reports in the future: they count once, at the latest when their day comes', async () => {
    const right = over(store);
    const early = over(store, 2 * DAY);
    await early.reports.record(1, 'd1', installed(7));
    await right.reports.record(1, 'd1', installed(7));
    await right.reports.record(1, 'd2', installed(7));
    await right.reports.record(1, 'd1', active('1.0.0'));
    await early.reports.record(1, 'd1', active('1.0.0'));
    for (let days = 0; days < 9; days += 1) {
      await right.retention.sweep();
      const counts = Object.values(await right.count(1, BUILDS));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(days < 2 ? 1 : 2);
      clock.time += DAY;
    }
    expect(await right.count(1, BUILDS)).toEqual({
      '2026-03-01 build/7/installs': 1,
      '2026-03-03 build/7/installs': 1,
    });
    expect(await right.count(1, VERSIONS)).toEqual({ '2026-03-01 version/1.0.0': 1, '2026-03-03 version/1.0.0': 1 });
  });

  it('leaves the versions that it kept apart as they are, so that none counts among the others too', async () => {
    const right = over(store);
    const early = over(store, 2 * DAY);
    for (let n = 0; n < 120; n += 1) void right.reports.record(1, `d${n}`, active(`1.0.${n}`));
    await right.reports.record(1, 'last', active('1.0.0'));
    await early.retention.sweep();
    for (let n = 0; n < 50; n += 1) void right.reports.record(1, `e${n}`, active(`1.0.${119 - (n % 20)}`));
    await right.reports.record(1, 'e-last', active('1.0.119'));
    await right.retention.sweep();
    clock.time += 2 * DAY;
    await right.retention.sweep();
    const counted = await right.count(1, VERSIONS);
    expect(Object.values(counted).reduce((sum, count) => sum + count, 0)).toBe(172);
    expect(Object.keys(counted)).toHaveLength(101);
  });
});

it('folds a backlog in several processes simultaneously, one of them ahead, and every day is complete at every moment', async () => {
  const path = join(folder, 'backlog.db');
  const stores = await Promise.all([1, 2, 3, 4].map(() => openSqliteDocumentStore({ path })));
  try {
    const [first] = stores as [DocumentStore];
    const { reports, count } = over(first);
    for (let day = 0; day < 30; day += 1) {
      for (let n = 0; n < 20; n += 1) {
        void reports.record(1 + (n % 3), `d${day}-${n}`, installed(7));
        void reports.record(1 + (n % 3), `d${n}`, active(`1.0.${n % 5}`));
      }
      await reports.record(1, `d${day}`, installed(8));
      clock.time += DAY;
    }
    const all = () => Promise.all([1, 2, 3].flatMap((appId) => [count(appId, BUILDS), count(appId, VERSIONS)]));
    const expected = await all();
    let sweeping = true;
    const counting = (async () => {
      while (sweeping as boolean) expect(await all()).toEqual(expected);
    })();
    const deleted = await Promise.all(stores.map((each, n) => over(each, n === 3 ? HOUR : 0).retention.sweep()));
    sweeping = false;
    await counting;
    expect(await all()).toEqual(expected);
    // Of the last three days and today, and of nothing else, the devices' reports are still there; of active devices of two.
    expect(deleted.reduce((sum, each) => sum + each, 0)).toBe(27 * 41 + 20);
    expect(await first.rows(deviceReports).count()).toBe(3 * 41 - 20);
  } finally {
    await Promise.all(stores.map((each) => each.close()));
  }
}, 60_000);
