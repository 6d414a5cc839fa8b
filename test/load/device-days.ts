import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { DeviceReports } from '../../services/device-updates/reports/device-reports';
import type { Report } from '../../services/device-updates/reports/domain/report';
import { ReportRetention } from '../../services/device-updates/reports/report-retention';
import { recordingLogger, failOnLine } from '@sluice/testing';
import { bench, decimals } from './bench';

/**
 * What devices that are active every day take of the disk of the embedded state store: `device-days.ts [devices] [days]`.
 * Each reports its version, platform and native version once a day, one in ten a second version; each night the days
 * that are over are folded and old rows deleted. The largest size of the file is what an installation needs: freed
 * pages are used again.
 */
const devices = Number(process.argv[2] ?? 1_000_000);
const days = Number(process.argv[3] ?? 5);
const ABREAST = 3_000;
/** Devices that report an install. */
const REPORTING = Math.min(100_000, devices);
const HOUR_MS = 3_600_000;
const MOST_BYTES = 2_000;
const MOST_BYTES_OF_REPORT = 600;

const hashes = Array.from({ length: devices }, (_, n) =>
  createHash('sha256').update(String(n)).digest('base64url').slice(0, 22),
);
const native = ['3.0.0', '3.1.0', '3.2.0'];

void bench('device-days', async ({ folder, say, judge }) => {
  const path = join(folder, 'state.db');
  const state = await openSqliteDocumentStore({ path });
  let time = Date.parse('2026-03-01T12:00:00.000Z');
  const clock = { now: () => new Date(time), monotonic: () => time };
  const reports = new DeviceReports({ state, clock });
  const settings = { reportRetentionDays: 90, deviceStateDays: 30 };
  const retention = new ReportRetention(state, clock, settings, recordingLogger(failOnLine));
  const bytes = (): number => statSync(path).size;
  const active = (version: string, n: number): Report => ({
    ...{ kind: 'active', version, platform: n % 2 === 0 ? 'ios' : 'android', nativeVersion: native[n % 3] },
  });

  try {
    for (let day = 0; day < days; day += 1) {
      const begun = performance.now();
      await inParts(devices, (hash, n) => reports.record(1, hash, active(`1.${day}.0`, n)));
      await inParts(devices / 10, (hash, n) => reports.record(1, hash, active(`1.${day + 1}.0`, n)));
      const seconds = (performance.now() - begun) / 1_000;
      const grown = bytes();
      time += 24 * HOUR_MS;
      const deleted = await retention.sweep();
      say(
        `day ${day + 1}: ${decimals(grown / devices)} bytes a device, ${decimals((devices * 1.1) / seconds)} reports/s; ` +
          `${decimals(deleted)} rows deleted afterwards`,
      );
    }
    const perDevice = bytes() / devices;
    judge('the state store for each device that is active daily', perDevice, 'bytes', { atMost: MOST_BYTES });
    say(`10 million such devices: ${decimals((perDevice * 1e7) / 1e9)} GB`);
  } finally {
    await state.close();
  }

  // In a file of its own: no pages of deleted rows are used again there.
  const other = join(folder, 'reports.db');
  const fresh = await openSqliteDocumentStore({ path: other });
  try {
    const installs = new DeviceReports({ state: fresh, clock });
    const send = (buildId: number) =>
      inParts(REPORTING, (hash) => installs.record(1, hash, { kind: 'install', buildId, status: 'complete' }));
    await send(7);
    const before = statSync(other).size;
    await send(8);
    const perReport = (statSync(other).size - before) / REPORTING;
    judge('each report of a download or an install', perReport, 'bytes', { atMost: MOST_BYTES_OF_REPORT });
  } finally {
    await fresh.close();
  }
});

/** Of so many devices, some at a time. */
async function inParts(count: number, report: (hash: string, n: number) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += ABREAST) {
    const some = hashes.slice(first, Math.min(first + ABREAST, count));
    await Promise.all(some.map((hash, at) => report(hash, first + at)));
  }
}
