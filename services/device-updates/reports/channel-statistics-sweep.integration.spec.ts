import { join } from 'node:path';
import type { BuildEvent } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { EventStore } from '@sluice/event-store';
import { failOnLine, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { devicePins } from '../devices/device-pins';
import { ChannelStatisticsSweep, formerMetrics } from './channel-statistics-sweep';
import { CheckCounts, checkCounts } from './check-counts';
import { DeviceReports, deviceReports } from './device-reports';
import { offeredDevices } from './offered-devices';
import { reportErrors } from './report-errors';
import { reportTotals } from './report-counts';
import { ReportRetention } from './report-retention';
import { rolledBackDevices } from './rolled-back-devices';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const APP = 7;
/** In the removed channel, in another that was added, and in a standard one. */
const [GONE, OTHER, STANDARD] = [2, 22, 3];
const SETTINGS = { reportRetentionDays: 30, deviceStateDays: 30 };
const clock = { time: START, now: () => new Date(clock.time), monotonic: () => clock.time };
const logger = recordingLogger(failOnLine);

let state: DocumentStore;
let sweep: ChannelStatisticsSweep;

beforeEach(async () => {
  clock.time = START;
  state = await openSqliteDocumentStore({ path: join(temporaryDirectory(), 'state.db') });
  sweep = new ChannelStatisticsSweep({} as EventStore, state, clock, SETTINGS, logger);
});
afterEach(() => state.close());

/** What devices do with a build of a channel. */
async function use(buildId: number, channel: string): Promise<void> {
  const reports = new DeviceReports({ state, clock });
  await reports.record(APP, 'phone', { kind: 'install', buildId, status: 'complete' });
  await reports.record(APP, 'phone', { kind: 'download', buildId, status: 'failed' }, { error: 'No space.' });
  const row = { appId: APP, buildId, device: 'phone', at: clock.time };
  await state.rows(rolledBackDevices).put({ ...row, id: `${APP}/${buildId}/0/phone`, retries: 0 });
  for (const target of [String(buildId), channel]) {
    const pin = { id: `${APP}/${target}/phone`, appId: APP, target, device: 'phone', at: clock.time };
    await state.rows(devicePins).put({ ...pin, expiresAt: clock.time + 9 * DAY });
  }
  const counts = new CheckCounts({ state, clock, logger, key: Buffer.alloc(32, 9) });
  counts.note(APP, channel, buildId, 'phone');
  await counts.stop();
}
const fold = () => new ReportRetention(state, clock, SETTINGS, logger).sweep();
const happened = (event: BuildEvent, channel: string) => sweep.note({ ...event, stream: `channel-${APP}-${channel}` });
const deleted = (buildId: number, channel: string) =>
  happened({ type: 'BuildDeleted', data: { buildId, objectKey: 'o', jobId: null } }, channel);
const closed = (channel: string) => happened({ type: 'ChannelClosed', data: { appId: APP, channel } }, channel);

/** The ids of all rows. */
async function left(): Promise<string[]> {
  const collections = [
    deviceReports,
    reportErrors,
    reportTotals,
    checkCounts,
    offeredDevices,
    rolledBackDevices,
    devicePins,
  ];
  return (await Promise.all(collections.map((each) => state.rows<{ id: string }>(each as never).ids()))).flat();
}
const of = async (build: number, channel: string) =>
  (await left()).filter((id) => new RegExp(`/(${build}|${channel.replace('.', '\\.')})/`).test(id));

it('deletes what was counted of a removed channel and of its builds, and nothing of others', async () => {
  const used = [
    [GONE, 'pr-9.3'],
    [OTHER, 'pr-9.30'],
    [STANDARD, 'production'],
  ] as const;
  for (const [build, channel] of used) await use(build, channel);
  clock.time += DAY;
  await fold();
  for (const [build, channel] of used) await use(build, channel);
  const before = await Promise.all(used.map(([build, channel]) => of(build, channel)));
  expect(before.map((ids) => ids.length)).toEqual([12, 12, 12]);
  await closed('pr-9.3');
  await deleted(GONE, 'pr-9.3');
  await sweep.sweep();
  expect(await of(GONE, 'pr-9.3')).toEqual([]);
  expect([await of(OTHER, 'pr-9.30'), await of(STANDARD, 'production')]).toEqual(before.slice(1));
});

it('keeps what was counted of the builds of a standard channel', async () => {
  await use(STANDARD, 'production');
  const before = await left();
  await deleted(STANDARD, 'production');
  await closed('production');
  await sweep.sweep();
  expect(await left()).toEqual(before);
  expect(await state.rows(formerMetrics).count()).toBe(0);
});

it('looks again two days later, for what was in flight, and then no more', async () => {
  await closed('pr-9.3');
  await deleted(GONE, 'pr-9.3');
  await sweep.sweep();
  await use(GONE, 'pr-9.3');
  clock.time += 2 * DAY - 1;
  await sweep.sweep();
  expect(await of(GONE, 'pr-9.3')).not.toEqual([]);
  clock.time += 1;
  await sweep.sweep();
  expect(await left()).toEqual([]);
  expect(await state.rows(formerMetrics).count()).toBe(0);
});
