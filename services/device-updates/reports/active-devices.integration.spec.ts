import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { failOnLine, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import fc from 'fast-check';
import { DeviceHashes } from '../devices/device-hashes';
import { DeviceReports, deviceReports } from './device-reports';
import { MAX_LIVE_COUNTS } from './domain/report';
import { KEPT_MS } from './kept-counts';
import { LatestReports } from './latest-reports';
import { ReportCounts, reportTotals } from './report-counts';
import { ReportRetention } from './report-retention';
import { StatsHandlers } from './stats.handlers';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const logger = recordingLogger(failOnLine);

let folder: string;
let state: DocumentStore;
let files = 0;

beforeAll(() => {
  folder = temporaryDirectory();
});
const open = () => openSqliteDocumentStore({ path: join(folder, `${(files += 1)}.db`) });
beforeEach(async () => {
  clock.time = START;
  state = await open();
});
afterEach(() => state.close());

interface Sent {
  readonly device: string;
  readonly version?: string;
  readonly platform?: 'ios' | 'android';
  readonly nativeVersion?: string;
}

/** As a process has it, with the versions of the key that the store holds now. */
async function process(store: DocumentStore) {
  const vault = createVault({ state: store, masterKeys: { current: Buffer.alloc(32, 1) }, now: () => clock.time });
  const hashes = new DeviceHashes({ keys: await vault.dataKeys('device-id'), clock });
  const reports = new DeviceReports({ state: store, clock });
  const report = ({ device, version = '1.0.0', platform = 'ios', nativeVersion }: Sent): Promise<Date> => {
    const { hash, otherHashes } = hashes.of(1, device);
    return reports.record(1, hash, { kind: 'active', version, platform, nativeVersion }, {}, otherHashes);
  };
  return { vault, report };
}

const sweep = (store: DocumentStore) =>
  new ReportRetention(store, clock, { reportRetentionDays: 30, deviceStateDays: 30 }, logger).sweep();
const adoptionOf = (store: DocumentStore, from = '2026-03-01', to = from) =>
  (
    Object.assign(Object.create(StatsHandlers.prototype) as object, {
      index: { builds: { ofApp: () => [] } },
      counts: new ReportCounts({ state: store, clock }),
    }) as unknown as StatsHandlers
  ).adoption({ appId: 1, from, to });
const overviewOf = async (store: DocumentStore, days: readonly string[]) =>
  (await new LatestReports({ state: store, clock }).of([1], days)).get(1)!.active;

describe('an active device', () => {
  it('counts once a day, by what it reported last, before and after the day is closed', async () => {
    const { report } = await process(state);
    await report({ device: 'a' });
    await report({ device: 'a', version: '1.1.0', nativeVersion: '4.0.0' });
    await report({ device: 'a', version: '1.1.0', nativeVersion: '4.0.0' });
    await report({ device: 'b', version: '1.1.0', platform: 'android', nativeVersion: '3.0.0' });
    await report({ device: 'c', nativeVersion: '3.0.0' });
    await report({ device: 'c', version: '1.1.0' });
    await report({ device: 'c', nativeVersion: '3.0.0' });
    const expected = {
      days: ['2026-03-01'],
      total: [3],
      versions: [
        { version: '1.1.0', active: [2] },
        { version: '1.0.0', active: [1] },
      ],
      platforms: [
        { platform: 'ios', active: [2] },
        { platform: 'android', active: [1] },
      ],
      native_versions: [
        { version: '3.0.0', active: [2] },
        { version: '4.0.0', active: [1] },
      ],
      releases: [],
    };
    expect(await adoptionOf(state)).toEqual(expected);
    expect(await overviewOf(state, ['2026-03-01'])).toEqual({ '2026-03-01': 3 });
    clock.time += 24 * HOUR;
    await report({ device: 'a', version: '1.1.0' });
    await sweep(state);
    expect(await adoptionOf(state)).toEqual(expected);
    expect(await overviewOf(state, ['2026-03-01', '2026-03-02'])).toEqual({ '2026-03-01': 3, '2026-03-02': 1 });
  });

  it('counts once however its reports meet in batches, processes and versions of the device key', async () => {
    const sent = fc.record({
      by: fc.nat(1),
      device: fc.constantFrom('a', 'b'),
      version: fc.constantFrom('1.0.0', '2.0.0', '3.0.0'),
    });
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.array(sent, { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constant('rotate' as const) },
      { weight: 1, arbitrary: fc.constant('a day' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), fc.boolean(), async (steps, together) => {
        const store = await open();
        clock.time = START;
        let processes = [await process(store), await process(store)];
        let rotations = 0;
        const last = new Map<string, string>();
        for (const next of steps) {
          if (next === 'a day') {
            clock.time += 24 * HOUR;
            if (!together) await sweep(store);
          } else if (next === 'rotate') {
            if ((rotations += 1) < 8) await processes[0]!.vault.rotateDataKeys(['device-id']);
            clock.time += 120_000;
            processes = [await process(store), await process(store)];
          } else {
            const day = new Date(clock.time).toISOString().slice(0, 10);
            if (together) await Promise.all(next.map(({ by, ...report }) => processes[by]!.report(report)));
            for (const { by, ...report } of next) {
              if (!together) await processes[by]!.report(report);
              last.set(`${day} ${report.device}`, report.version);
            }
          }
        }
        const counted = await adoptionOf(store, '2026-03-01', '2026-03-31');
        const versionsOf = (day: string) =>
          [...last].filter(([key]) => key.startsWith(day)).map(([, version]) => version);
        for (const [at, day] of counted.days.entries()) {
          const ofDay = counted.versions.map(({ version, active }) => [version, active[at]!] as const);
          expect(counted.total[at]).toBe(versionsOf(day).length);
          expect(ofDay.reduce((sum, [, count]) => sum + count, 0)).toBe(versionsOf(day).length);
          if (together) continue;
          for (const [version, count] of ofDay) {
            expect([version, count]).toEqual([version, versionsOf(day).filter((each) => each === version).length]);
          }
        }
        await store.close();
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('ignores the rows of an earlier release for further versions of a day, and deletes them', async () => {
    const { report } = await process(state);
    await report({ device: 'a' });
    const facts = { appId: 1, day: '2026-03-01', device: 'x', at: '2026-03-01T13:00:00.000Z', metric: 'also/1.1.0' };
    await state.rows(deviceReports).put({ id: '1/x/version/1.1.0/2026-03-01', ...facts });
    const { total, versions } = await adoptionOf(state);
    expect({ total, versions }).toEqual({ total: [1], versions: [{ version: '1.0.0', active: [1] }] });
    clock.time += 4 * 24 * HOUR;
    await sweep(state);
    expect(await state.rows(deviceReports).count()).toBe(0);
  });

  it('counts as before on days that an earlier release closed, or whose reports it wrote', async () => {
    const total = { appId: 1, day: '2026-02-27' };
    for (const [metric, count] of [
      ['version/1.0.0', 5],
      ['version/1.1.0', 2],
    ] as const) {
      await state.rows(reportTotals).put({ id: `1/2026-02-27/${metric}`, ...total, metric, count });
    }
    const row = { appId: 1, day: '2026-02-28', device: 'x', at: '2026-02-28T12:00:00.000Z', metric: 'version/1.0.0' };
    await state.rows(deviceReports).put({ id: '1/x/version/1.0.0/2026-02-28', ...row });
    await sweep(state);
    const { total: totals, versions, platforms } = await adoptionOf(state, '2026-02-27', '2026-02-28');
    expect({ totals, versions, platforms }).toEqual({
      totals: [7, 1],
      versions: [
        { version: '1.0.0', active: [5, 1] },
        { version: '1.1.0', active: [2, 0] },
      ],
      platforms: [],
    });
    expect(await overviewOf(state, ['2026-02-27'])).toEqual({ '2026-02-27': 7 });
  });

  it('counts once when a client invents more versions than are counted separately', async () => {
    const { report } = await process(state);
    const devices = MAX_LIVE_COUNTS + 10;
    await Promise.all(
      Array.from({ length: devices }, (_, n) =>
        report({ device: `d${n}`, version: `1.0.${n}`, nativeVersion: '1.0.0' }),
      ),
    );
    await report({ device: 'd1', version: '7.0.0', nativeVersion: '1.0.0' });
    for (const closed of [false, true]) {
      if (closed) {
        clock.time += 24 * HOUR;
        await sweep(state);
      }
      const { total, versions } = await adoptionOf(state);
      expect(total).toEqual([devices]);
      expect(versions.reduce((sum, { active }) => sum + active[0]!, 0)).toBe(devices);
      expect(versions.at(-1)!.version).toBeNull();
    }
  }, 60_000);
});

it('the overview counts again after four seconds', async () => {
  const { report } = await process(state);
  const latest = new LatestReports({ state, clock });
  const active = async () => (await latest.of([1], ['2026-03-01'])).get(1)!.active;
  await report({ device: 'a' });
  expect(await active()).toEqual({ '2026-03-01': 1 });
  await report({ device: 'b' });
  expect(await active()).toEqual({ '2026-03-01': 1 });
  clock.time += KEPT_MS;
  expect(await active()).toEqual({ '2026-03-01': 2 });
});
