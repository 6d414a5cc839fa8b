import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import fc from 'fast-check';
import { DeviceHashes } from '../devices/device-hashes';
import { DeviceReports, deviceReports } from './device-reports';
import { NO_GROUPS } from '../../../test/support/no-groups';
import { DeviceHandlers } from './device.handlers';
import type { Report } from './domain/report';
import { ReportErrors, reportErrors } from './report-errors';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const masterKeys = { current: Buffer.alloc(32, 1) };
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };

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

const REPORTS: readonly Report[] = [
  { kind: 'install', buildId: 7, status: 'complete' },
  { kind: 'install', buildId: 7, status: 'failed' },
  { kind: 'active', version: '1.0.0', platform: 'ios' },
];

/** As a process has it, with the versions of the key that the store holds now. */
async function process(store = state) {
  const vault = createVault({ state: store, masterKeys, now: () => clock.time });
  const hashes = new DeviceHashes({ keys: await vault.dataKeys('device-id'), clock });
  const reports = new DeviceReports({ state: store, clock });
  return {
    vault,
    async report(device: string, report: Report, appId = 1): Promise<void> {
      const { hash, otherHashes } = hashes.of(appId, device);
      await reports.record(appId, hash, report, {}, otherHashes);
    },
    async forget(deviceId: string): Promise<number> {
      const devices = new DeviceHandlers(store, hashes, NO_GROUPS, () => '', { announce: () => undefined }, clock);
      return (await devices.forget({ appId: 1, deviceId }, { actor: 'token:1', commandId: 'forget' })).deleted;
    },
  };
}

describe('the same report of a device', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ by: fc.nat(1), device: fc.nat(1), report: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.constant('rotate' as const) },
    { weight: 2, arbitrary: fc.constant('two minutes' as const) },
    { weight: 1, arbitrary: fc.constant('a day' as const) },
  );

  it('counts once, whichever process and version of the key it meets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 25 }), async (steps) => {
        const store = await openSqliteDocumentStore({ path: join(folder, `${(files += 1)}.db`) });
        let processes = [await process(store), await process(store)];
        let rotations = 0;
        const expected = new Map<string, Set<string>>();
        for (const next of steps) {
          if (next === 'rotate') {
            if ((rotations += 1) < 8) await processes[0]!.vault.rotateDataKeys(['device-id']);
          } else if (typeof next === 'string') {
            clock.time += next === 'a day' ? 86_400_000 : 120_000;
            // Every process has read the versions again.
            processes = [await process(store), await process(store)];
          } else {
            const report = REPORTS[next.report]!;
            await processes[next.by]!.report(`d${next.device}`, report);
            const day = report.kind === 'active' ? Math.floor(clock.time / 86_400_000) : '';
            const told = expected.get(`d${next.device}`) ?? new Set();
            expected.set(`d${next.device}`, told.add(`${next.report}/${day}`));
          }
        }
        const total = [...expected.values()].reduce((sum, { size }) => sum + size, 0);
        expect(await store.rows(deviceReports).count()).toBe(total);
        // Each on a process of its own, which reads the versions again without a pause.
        for (const [index, [device, { size }]] of [...expected].entries()) {
          expect(await processes[index]!.forget(device)).toBe(size);
        }
        expect(await store.rows(deviceReports).count()).toBe(0);
        await store.close();
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  it('counts once when it comes again in the batch of others, after a rotation', async () => {
    const before = await process();
    for (let device = 0; device < 30; device += 1) await before.report(`d${device}`, REPORTS[0]!);
    await before.vault.rotateDataKeys(['device-id']);
    clock.time += 120_000;
    const after = await process();
    await Promise.all(
      Array.from({ length: 60 }, (_, device) =>
        Promise.all([after.report(`d${device}`, REPORTS[0]!), after.report(`d${device}`, REPORTS[0]!)]),
      ),
    );
    expect(await state.rows(deviceReports).count()).toBe(60);
    await after.report('d0', REPORTS[0]!, 2);
    expect(await state.rows(deviceReports).count({ appId: 2 })).toBe(1);
  });

  it('costs no look-up while one version is held', async () => {
    let reads = 0;
    const counting: DocumentStore = {
      ...state,
      rows: (collection) => {
        const rows = state.rows(collection);
        if (collection.name !== deviceReports.name) return rows;
        return {
          ...rows,
          ids: (query) => ((reads += 1), rows.ids(query)),
          find: (query) => ((reads += 1), rows.find(query)),
        };
      },
    };
    const before = await process(counting);
    await before.report('d1', REPORTS[0]!);
    expect(reads).toBe(0);
    await before.vault.rotateDataKeys(['device-id']);
    clock.time += 120_000;
    const after = await process(counting);
    await after.report('d1', REPORTS[0]!);
    expect(reads).toBe(1);
    await after.vault.dropDataKeys('device-id', clock.time);
    await after.report('d2', REPORTS[0]!);
    expect(reads).toBe(1);
  });
});

describe('forgetting a device', () => {
  it('finds what another process wrote under a version that is not read here yet', async () => {
    const here = await process();
    await here.report('d1', REPORTS[0]!);
    const there = await process();
    await there.vault.rotateDataKeys(['device-id']);
    clock.time += 120_000;
    await there.report('d1', REPORTS[1]!);
    expect(await here.forget('d1')).toBe(2);
    expect(await state.rows(deviceReports).count()).toBe(0);
  });
});

describe('an error that a device reports', () => {
  const failed: Report = { kind: 'install', buildId: 7, status: 'failed' };

  it('is stored and announced also when its time cannot be noted', async () => {
    const logger = recordingLogger();
    const announced: unknown[] = [];
    const messaging = { announce: (_topic: string, body: object) => announced.push(body) };
    const noting = jest.spyOn(ReportErrors.prototype, 'noteTimes').mockRejectedValue(new Error('It takes too long.'));
    const budgets = { wrote: jest.fn() };
    const reports = new DeviceReports({ state, clock, messaging, logger, budgets });
    await reports.record(1, 'a', failed, { error: 'disk full' });
    noting.mockRestore();
    expect(announced).toEqual([{ builds: [7] }]);
    expect(budgets.wrote).toHaveBeenCalledWith(1, 1);
    expect(logger.messages).toEqual(['The times of reported errors could not be stored']);
    expect(await state.rows(deviceReports).count()).toBe(1);
  });

  it('has its text again when that was deleted', async () => {
    const reports = new DeviceReports({ state, clock });
    await reports.record(1, 'a', failed, { error: 'disk full' });
    await state.rows(reportErrors).deleteWhere({ day: '2026-03-01' });
    clock.time += 1_000;
    await reports.record(1, 'b', failed, { error: 'disk full' });
    const lastAt = '2026-03-01T12:00:01.000Z';
    expect(await state.rows(reportErrors).find()).toMatchObject([{ text: 'disk full', lastAt }]);
  });
});
