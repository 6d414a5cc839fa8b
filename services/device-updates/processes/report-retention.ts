import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { STATE_STORE, type DocumentStore, type Rows } from '@sluice/document-store';
import { CLOCK, REPORT, type Clock, type Report } from '@sluice/engines';
import { deviceReports, type DeviceReport } from '../application/device-reports';
import { reportErrors } from '../application/report-errors';
import { FOLDED_THROUGH, reportFolds, reportTotals, type ReportTotal } from '../application/report-counts';
import { addDays, beginningWith, BUILDS, dayOf, OTHER_VERSIONS, VERSIONS, versionMetric } from '../domain/report';
import { deleteInParts } from './delete-in-parts';

const LOOK_EVERY_MS = 10 * 60_000;
/** A report that began on a day has long been stored. */
const CLOSES_AFTER_MS = 60 * 60_000;
/** Of one app and day: the versions are what devices say, and so as many as somebody likes. */
const MAX_VERSIONS = 100;

/**
 * Folds each day into totals an hour after it has ended (UTC), and deletes the devices' reports of a
 * folded day once it is REPORT_RETENTION_DAYS old. Totals of a day are written while all its reports
 * are there; only then is the day said to be folded; only then do its reports go. So it may be killed
 * anywhere, and any number of processes may do it at once. A day that a clock which ran ahead folded
 * before it was over is opened again, and its totals grow to what came since; they never shrink.
 */
@Injectable()
export class ReportRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();

  constructor(
    @Inject(STATE_STORE) private readonly state: DocumentStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'reportRetentionDays'>,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  /** Does all that is to be done now; answers how many reports were deleted. */
  async sweep(): Promise<number> {
    const through = await this.fold();
    const before = addDays(dayOf(this.clock.now()), -this.settings.reportRetentionDays);
    const where = { day: { lt: before, lte: through } };
    const deleted = await deleteInParts(this.state.rows(deviceReports), where, this.stopping.signal);
    await deleteInParts(this.state.rows(reportErrors), where, this.stopping.signal);
    return deleted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.sweep().catch((error: unknown) => {
        this.report('Reports of devices could not be folded; it will be tried again', error);
      });
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Folds every day that is closed; answers the last one. */
  private async fold(): Promise<string> {
    const closed = addDays(dayOf(new Date(this.clock.now().getTime() - CLOSES_AFTER_MS)), -1);
    const folds = this.state.rows(reportFolds);
    for (;;) {
      const folded = await folds.getVersioned(FOLDED_THROUGH);
      const through = folded?.row.day ?? '';
      if (folded !== undefined && through >= dayOf(this.clock.now())) {
        this.report(
          `Days up to ${through} were folded before they were over: a clock runs ahead; they are opened again`,
        );
        await folds.put({ id: FOLDED_THROUGH, day: closed }, folded.version);
        continue;
      }
      if (through >= closed || this.stopping.signal.aborted) return through;
      const days = await this.state.rows(deviceReports).countBy(['day'], { day: { gt: through, lte: closed } });
      const first = days.map(({ day }) => day).sort()[0];
      if (first !== undefined) await this.foldDay(first);
      // Where another process went ahead, nothing is written, and it is looked at again.
      await folds.put({ id: FOLDED_THROUGH, day: first ?? closed }, folded?.version ?? 'absent');
    }
  }

  private async foldDay(day: string): Promise<void> {
    const reports = this.state.rows(deviceReports);
    const totals = this.state.rows(reportTotals);
    for (const { appId } of await reports.countBy(['appId'], { day })) {
      const earlier = await totals.find({ where: { id: beginningWith(`${appId}/${day}/`) } });
      const ofBuilds = await reports.countBy(['metric'], { day, appId, metric: beginningWith(BUILDS) });
      const ofVersions = await countVersions(reports, day, appId, earlier);
      const counted = [...ofBuilds, ...ofVersions].map(({ metric, count }) => ({
        ...{ id: `${appId}/${day}/${metric}`, appId, metric, day, count },
      }));
      const written = new Set(await totals.putMany(counted, 'absent'));
      for (const total of counted) if (!written.has(total.id)) await raise(totals, total);
    }
  }
}

/** Who counted less, or earlier, changes nothing. */
async function raise(totals: Rows<ReportTotal>, total: ReportTotal): Promise<void> {
  for (;;) {
    const held = await totals.getVersioned(total.id);
    if (held === undefined || held.row.count >= total.count) return;
    if ((await totals.put(total, held.version)) !== undefined) return;
  }
}

/** The most frequent versions, and all others as one; of a day that was folded before, the same ones as then. */
async function countVersions(
  reports: Rows<DeviceReport>,
  day: string,
  appId: number,
  earlier: readonly ReportTotal[],
): Promise<{ readonly metric: string; readonly count: number }[]> {
  const where = { day, appId, metric: beginningWith(VERSIONS) };
  const others = versionMetric(OTHER_VERSIONS);
  const apart = earlier
    .map(({ metric }) => metric)
    .filter((metric) => metric.startsWith(VERSIONS) && metric !== others);
  const frequent = await reports.countBy(['metric'], where, MAX_VERSIONS);
  if (frequent.length < MAX_VERSIONS) return frequent;
  const kept = apart.length === 0 ? [] : await reports.countBy(['metric'], { ...where, metric: { in: apart } });
  const most = [...kept, ...frequent.filter(({ metric }) => !apart.includes(metric))].slice(0, MAX_VERSIONS);
  const [all] = await reports.countBy(['appId'], where);
  const rest = most.reduce((left, { count }) => left - count, all?.count ?? 0);
  return rest > 0 ? [...most, { metric: others, count: rest }] : most;
}
