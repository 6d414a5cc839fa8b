import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { type DeviceReport, DeviceReports, deviceReports, idsOf } from './device-reports';
import { buildMetric } from './domain/report';
import { GateHandlers } from './gate.handlers';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const MINUTE = 60_000;

let state: DocumentStore;
let reports: DeviceReports;
let gate: GateHandlers;
let announced: unknown[];

beforeEach(async () => {
  clock.time = START;
  announced = [];
  state = await openSqliteDocumentStore({ path: join(temporaryDirectory(), 'state.db') });
  const messaging = { announce: (topic: string, body: object) => announced.push([topic, body]) };
  reports = new DeviceReports({ state, clock, messaging });
  gate = new GateHandlers(state, clock, { reportRetentionDays: 30 });
});
afterEach(() => state.close());

type Status = 'complete' | 'failed' | 'rollback';
const install = (device: string, status: Status, address: string | undefined = device, buildId = 7) =>
  reports.record(1, device, { kind: 'install', buildId, status }, { address });
const download = (device: string) => reports.record(1, device, { kind: 'download', buildId: 7, status: 'complete' });
const count = (silenceAfterMinutes?: number) => gate.count({ appId: 1, buildId: 7, silenceAfterMinutes });

it('counts each device once, as failed if it ever failed', async () => {
  await install('good', 'complete');
  await install('bad', 'failed');
  await install('again', 'failed');
  await install('again', 'complete');
  await install('later', 'complete');
  await install('later', 'rollback');
  await install('later', 'rollback');
  await install('both', 'failed');
  await install('both', 'rollback');
  await install('elsewhere', 'failed', 'elsewhere', 8);
  await reports.record(2, 'other', { kind: 'install', buildId: 7, status: 'failed' });
  expect(await count()).toMatchObject({ finished: 5, failed: 4, leftOut: 0 });
});

it('counts a device at the address of its failure', async () => {
  await install('moved', 'complete', 'home');
  await install('moved', 'rollback', 'work');
  await install('one', 'complete', 'home');
  expect(await count()).toMatchObject({ finished: 2, failed: 1, mostFinished: 1, mostFailed: 1 });
});

it('counts 3 devices of one address, and those without an address as of one', async () => {
  for (let device = 0; device < 20; device += 1) await install(`forged-${device}`, 'failed', 'one');
  expect(await count()).toMatchObject({ finished: 3, failed: 3, leftOut: 17, mostFailed: 3 });
  const early = Array.from({ length: 20 }, (_, device): DeviceReport => {
    const metric = buildMetric(7, 'installs');
    const id = idsOf(1, `early-${device}`) + metric;
    return { id, appId: 1, metric, day: '2026-02-28', device: `early-${device}`, at: '2026-02-28T12:00:00.000Z' };
  });
  await state.rows(deviceReports).putMany(early);
  expect(await count()).toMatchObject({ finished: 6, failed: 3, leftOut: 34 });
});

it('finds devices that downloaded and are silent', async () => {
  for (const device of ['silent', 'good', 'bad', 'back', 'late']) {
    if (device === 'late') clock.time += 30 * MINUTE;
    await download(device);
  }
  await install('good', 'complete');
  await install('bad', 'failed');
  await install('back', 'rollback');
  expect(await count()).toMatchObject({ downloaded: 0, silent: 0 });
  expect(await count(60)).toMatchObject({ downloaded: 0, silent: 0 });
  clock.time += 30 * MINUTE;
  expect(await count(60)).toMatchObject({ downloaded: 4, silent: 1 });
  clock.time += 30 * MINUTE;
  expect(await count(60)).toMatchObject({ downloaded: 5, silent: 2 });
});

it('still sees the failures of others among more forged ones than it counts one by one', async () => {
  const metric = buildMetric(7, 'rollbacks');
  const row = (device: string, address: string): DeviceReport => ({
    ...{ id: idsOf(1, device) + metric, appId: 1, metric, device, address },
    ...{ day: '2026-03-01', at: '2026-03-01T12:00:00.000Z' },
  });
  const forged = Array.from({ length: 10_001 }, (_, device) => row(`a-${device}`, 'one'));
  const honest = Array.from({ length: 200 }, (_, device) => row(`z-${device}`, `z-${device}`));
  await state.rows(deviceReports).putMany([...forged, ...honest]);
  expect(await count()).toMatchObject({ finished: 204, failed: 204, leftOut: 9_997, mostFailed: 4 });
});

it('announces the builds whose installations ended, and nothing else', async () => {
  await download('one');
  expect(announced).toEqual([]);
  await install('one', 'complete');
  expect(announced).toEqual([['installationsReported', { builds: [7] }]]);
  await install('one', 'complete');
  expect(announced).toHaveLength(1);
});
