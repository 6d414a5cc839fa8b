import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { EventStore } from '@sluice/event-store';
import { temporaryDirectory, failOnLine, recordingLogger } from '@sluice/testing';
import { devicePins } from '../devices/device-pins';
import { CheckCounts, checkCounts } from './check-counts';
import { deviceReports, DeviceReports } from './device-reports';
import { deviceStates } from './device-states';
import { offeredDevices } from './offered-devices';
import { reportTotals } from './report-counts';
import { RemovedAppSweep, removedApps } from './removed-app-sweep';
import { ReportRetention } from './report-retention';
import { rolledBackDevices } from './rolled-back-devices';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const logger = recordingLogger(failOnLine);

let folder: string;
let state: DocumentStore;
let sweep: RemovedAppSweep;

beforeEach(async () => {
  clock.time = START;
  folder = temporaryDirectory();
  state = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  sweep = new RemovedAppSweep({} as EventStore, state, clock, logger);
});
afterEach(() => state.close());

const removalOf = (id: number) => sweep.note({ type: 'AppRemovalStarted', data: { id } });
async function report(appId: number, devices: number): Promise<void> {
  const reports = new DeviceReports({ state, clock });
  const sent = Array.from({ length: devices }, (_, n) =>
    reports.record(appId, `d${n}`, { kind: 'install', buildId: appId, status: 'complete' }),
  );
  await Promise.all(sent);
  const rolledBack = { appId, buildId: appId, retries: 0, device: 'd0', at: clock.time };
  await state.rows(rolledBackDevices).put({ id: `${appId}/${appId}/0/d0`, ...rolledBack });
  const pin = { appId, target: String(appId), device: 'd0', at: clock.time, expiresAt: clock.time + 90 * DAY };
  await state.rows(devicePins).put({ id: `${appId}/${appId}/d0`, ...pin });
}
async function check(appId: number): Promise<void> {
  const counts = new CheckCounts({ state, clock, logger, key: Buffer.alloc(32, 9) });
  counts.note(appId, 'production', appId, 'd0');
  await counts.stop();
}
const fold = () => new ReportRetention(state, clock, { reportRetentionDays: 30, deviceStateDays: 30 }, logger).sweep();

/** How many rows of each collection there are of each app. */
async function left() {
  const ofApp = (appId: number) =>
    Promise.all([
      state.rows(deviceReports).count({ appId }),
      state.rows(deviceStates).count({ appId }),
      state.rows(reportTotals).count({ appId }),
      state.rows(checkCounts).count({ appId }),
      state.rows(offeredDevices).count({ appId }),
      state.rows(rolledBackDevices).count({ appId }),
      state.rows(devicePins).count({ appId }),
    ]);
  return { 1: await ofApp(1), 10: await ofApp(10) };
}

it('deletes all that is kept of the devices of a removed app, and nothing of another', async () => {
  for (const appId of [1, 10]) {
    await report(appId, 501);
    await check(appId);
  }
  clock.time += DAY;
  await fold();
  await sweep.sweep();
  expect(await left()).toEqual({ 1: [501, 501, 1, 1, 1, 1, 1], 10: [501, 501, 1, 1, 1, 1, 1] });
  await removalOf(1);
  await sweep.sweep();
  expect(await left()).toEqual({ 1: [0, 0, 0, 0, 0, 0, 0], 10: [501, 501, 1, 1, 1, 1, 1] });
});

it('finds reports in flight when the app was removed, also when the event of the removal arrives again', async () => {
  await removalOf(1);
  await sweep.sweep();
  await report(1, 1);
  await check(1);
  clock.time += DAY;
  await fold();
  await removalOf(1);
  await sweep.sweep();
  expect(await left()).toMatchObject({ 1: [0, 0, 0, 0, 0, 0, 0] });
});

it('forgets the app two days later, when it has looked a last time', async () => {
  await removalOf(1);
  clock.time += 2 * DAY;
  await sweep.sweep();
  expect(await state.rows(removedApps).count()).toBe(1);
  await report(1, 1);
  clock.time += 1;
  await sweep.sweep();
  expect(await left()).toMatchObject({ 1: [0, 0, 0, 0, 0, 0, 0] });
  expect(await state.rows(removedApps).count()).toBe(0);
});
