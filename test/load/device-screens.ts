import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { openDatabase } from '@sluice/event-store/sqlite/open-file';
import { deviceReports, idsOf } from '../../services/device-updates/reports/device-reports';
import { deviceStates, stateIdOf } from '../../services/device-updates/reports/device-states';
import {
  addDays,
  beginningWith,
  buildMetric,
  dayOf,
  REPORTED,
} from '../../services/device-updates/reports/domain/report';
import { LatestReports } from '../../services/device-updates/reports/latest-reports';
import { RunningDevices } from '../../services/device-updates/reports/running-devices';
import { FOLDED_THROUGH, ReportCounts, reportFolds } from '../../services/device-updates/reports/report-counts';
import { isChromiumHere } from '../support/chromium';
import { bench, decimals, median } from './bench';
import { openScreens } from './opened-screens';

/**
 * How long the queries behind the console's screens of devices take if so many devices are active today:
 * `device-screens.ts [devices] [rounds]`. Each device has the row of its day and its state; every fourth one has
 * downloaded and installed a build. The rows are written by SQL, because a million reports take minutes.
 */
const devices = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 5);
const MOST_MS = 1_000;
const DEVICE = '0000000000000000000007';
const BUILD = 7;

void bench('device-screens', async ({ folder, say, judge }) => {
  const path = join(folder, 'state.db');
  const now = Date.now();
  let monotonic = 0;
  const clock = { now: () => new Date(now), monotonic: () => monotonic };
  const today = dayOf(clock.now());
  const state = await openSqliteDocumentStore({ path });
  try {
    await state.rows(reportFolds).put({ id: FOLDED_THROUGH, day: addDays(today, -1) });
    // Makes the tables.
    await state.rows(deviceReports).putMany([]);
    await state.rows(deviceReports).count();
    await state.rows(deviceStates).count();
    const begun = performance.now();
    write(path, today);
    const counts = new ReportCounts({ state, clock });
    const latest = new LatestReports({ state, clock });
    const index = { builds: { find: () => undefined, ofVersion: () => [] } };
    const running = new RunningDevices({ state, index, clock, settings: { deviceStateDays: 90 } });
    const rows = await state.rows(deviceStates).count({ day: today, appId: 1 });
    say(`${decimals(rows)} devices, written in ${decimals((performance.now() - begun) / 1_000)} s`);
    const metrics = REPORTED.map((outcome) => buildMetric(BUILD, outcome));
    const queries: Readonly<Record<string, () => Promise<unknown>>> = {
      'adoption, 30 days': () => counts.active({ appId: 1, from: addDays(today, -29), to: today }),
      'adoption, a build': () => counts.reported({ appId: 1, metric: { in: metrics } }),
      'apps, devices of today': () => latest.of([1], [addDays(today, -1), today]),
      'health, devices by version': () => running.of([1]),
      'a device and its reports': async () => {
        const where = { id: beginningWith(idsOf(1, DEVICE)) };
        return [
          await state.rows(deviceStates).get(stateIdOf(1, DEVICE)),
          await state.rows(deviceReports).count(where),
          await state.rows(deviceReports).find({ where, limit: 50 }),
        ];
      },
    };
    for (const [what, query] of Object.entries(queries)) {
      const taken: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        monotonic += 60_000;
        const from = performance.now();
        await query();
        taken.push(performance.now() - from);
      }
      judge(what, median(taken), 'ms', { atMost: MOST_MS });
    }
  } finally {
    await state.close();
  }
  if (isChromiumHere) await openScreens({ folder, devices, judge });
  else say('There is no Chromium: the screens were not opened.');
});

/** The rows that DeviceReports would write. */
function write(path: string, day: string): void {
  const file = openDatabase(path, 5_000);
  const at = `${day}T12:00:00.000Z`;
  const numbers = `WITH RECURSIVE all_devices(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM all_devices WHERE n < ${devices - 1}),
    devices(n, hash) AS (SELECT n, printf('%022d', n) FROM all_devices)`;
  const version = `'1.' || (n % 12) || '.0'`;
  const insert = (collection: string, id: string, members: string, where = '1'): string =>
    `${numbers} INSERT INTO "rows/${collection}" (id, version, doc)
     SELECT ${id}, n, json_object('id', ${id}, 'appId', 1, 'day', '${day}', 'at', '${at}', ${members}) FROM devices WHERE ${where};`;
  const report = (rest: string, metric: string, where?: string): string =>
    insert('deviceReports', `'1/' || hash || '/${rest}'`, `'device', hash, 'metric', ${metric}`, where);
  const platform = `iif(n % 2 = 0, ' ios', ' android')`;
  file.exec(
    [
      'PRAGMA synchronous = OFF; BEGIN;',
      report(`active/${day}`, `'version/' || ${version} || ${platform} || ' 3.' || (n % 3) || '.0'`),
      ...(['downloads', 'installs'] as const).map((outcome) =>
        report(buildMetric(BUILD, outcome), `'${buildMetric(BUILD, outcome)}'`, 'n % 4 = 0'),
      ),
      insert('deviceStates', `'1/' || hash`, `'version', ${version}`),
      'COMMIT;',
    ].join('\n'),
  );
  file.close();
}
