import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { StateStore } from '@sluice/document-store';
import { CLOCK, PeriodicTask, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { chosenChannels } from '../devices/chosen-channels';
import { devicePins } from '../devices/device-pins';
import { countActive } from './active-devices';
import { deviceReports } from './device-reports';
import { deviceStates } from './device-states';
import { reportErrors } from './report-errors';
import { rolledBackDevices } from './rolled-back-devices';
import { FOLDED_THROUGH, reportFolds, reportTotals, type ReportTotal } from './report-counts';
import {
  addDays,
  beginningWith,
  BUILDS,
  dayOf,
  FURTHER_VERSIONS,
  NATIVE_VERSIONS,
  OTHER_VERSIONS,
  VERSIONS,
} from './domain/report';
import { deleteInParts } from './delete-in-parts';

const LOOK_EVERY_MS = 10 * 60_000;
/** A report that began on a day has long been stored. */
const CLOSES_AFTER_MS = 60 * 60_000;
const EXPIRED_FOR_MS = 60_000;
/** Days before today on which the rows of active devices are kept: reports of today and yesterday are still counted from them. */
const ACTIVE_DAYS = 2;
/** The row of reportFolds that says up to which day, included, the rows of active devices are deleted. */
const ACTIVE_DELETED = 'active-deleted';
/** Of one app and day: the versions are what devices say, and so as many as somebody likes. */
const MAX_VERSIONS = 100;

/**
 * Folds each day into totals an hour after it has ended (UTC), and deletes the devices' reports of a
 * folded day once it is REPORT_RETENTION_DAYS old, those of active devices after two days, and the state and
 * the rollbacks of a device DEVICE_STATE_DAYS after its last report, and expired pins and chosen channels. Totals of a day are written while all its reports
 * exist; only then is the day marked as folded; only then are its reports deleted. So the process may be killed
 * at any point, and any number of processes may fold simultaneously. A day that was folded before its end, because
 * a clock was ahead, is opened again; its totals then include the later reports and never shrink.
 */
@Injectable()
export class ReportRetention extends PeriodicTask {
  constructor(
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'reportRetentionDays' | 'deviceStateDays'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: 0,
      run: () => this.sweep(),
      fault: 'Reports of devices could not be folded; it will be tried again',
      logger,
    });
  }

  /** Does all that is to be done now; answers how many reports were deleted. */
  async sweep(): Promise<number> {
    const through = await this.fold();
    const { signal } = this;
    const { reportRetentionDays, deviceStateDays } = this.settings;
    const today = dayOf(this.clock.now());
    const where = { day: { lt: addDays(today, -reportRetentionDays), lte: through } };
    const deleted = await deleteInParts(this.state.rows(deviceReports), where, signal);
    await deleteInParts(this.state.rows(reportErrors), where, signal);
    const firstKept = addDays(today, -deviceStateDays);
    await deleteInParts(this.state.rows(deviceStates), { day: { lt: firstKept } }, signal);
    await deleteInParts(this.state.rows(rolledBackDevices), { at: { lt: Date.parse(firstKept) } }, signal);
    const expired = { expiresAt: { lt: this.expiredBefore() } };
    await deleteInParts(this.state.rows(devicePins), expired, signal);
    await deleteInParts(this.state.rows(chosenChannels), expired, signal);
    const last = addDays(today, -ACTIVE_DAYS - 1);
    return deleted + (await this.deleteActive(last < through ? last : through));
  }

  /** Every process has read by then that it ended. */
  private expiredBefore(): number {
    return this.clock.now().getTime() - EXPIRED_FOR_MS;
  }

  /** Deletes the rows of active devices up to this day; answers how many. */
  private async deleteActive(last: string): Promise<number> {
    const { signal } = this;
    const reports = this.state.rows(deviceReports);
    const folds = this.state.rows(reportFolds);
    const before = await folds.getVersioned(ACTIVE_DELETED);
    const first = before?.row.day ?? '';
    if (last <= first) return 0;
    let deleted = 0;
    for (const { day, appId } of await reports.countBy(['day', 'appId'], { day: { gt: first, lte: last } })) {
      for (const prefix of [VERSIONS, FURTHER_VERSIONS]) {
        deleted += await deleteInParts(reports, { day, appId, metric: beginningWith(prefix) }, signal);
      }
    }
    if (!signal.aborted) await folds.put({ id: ACTIVE_DELETED, day: last }, before?.version ?? 'absent');
    return deleted;
  }

  /** Folds every day that is closed; answers the last one. */
  private async fold(): Promise<string> {
    const closed = addDays(dayOf(new Date(this.clock.now().getTime() - CLOSES_AFTER_MS)), -1);
    const folds = this.state.rows(reportFolds);
    for (;;) {
      const folded = await folds.getVersioned(FOLDED_THROUGH);
      const through = folded?.row.day ?? '';
      if (folded !== undefined && through >= dayOf(this.clock.now())) {
        this.logger.warn(
          `Days up to ${through} were folded before they were over: a clock runs ahead; they are opened again`,
        );
        await folds.put({ id: FOLDED_THROUGH, day: closed }, folded.version);
        continue;
      }
      if (through >= closed || this.signal.aborted) return through;
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
      const ofVersions = withOthers(await countActive(reports, { day, appId }), VERSIONS, earlier);
      const active = withOthers(ofVersions, NATIVE_VERSIONS, earlier);
      const counted = [...ofBuilds, ...active].map(({ metric, count }) => ({
        ...{ id: `${appId}/${day}/${metric}`, appId, metric, day, count },
      }));
      const written = new Set(await totals.putMany(counted, 'absent'));
      for (const total of counted) {
        if (written.has(total.id)) continue;
        // A lower count, or an earlier one, changes nothing.
        await totals.update(total.id, (held) => (held === undefined || held.count >= total.count ? undefined : total));
      }
    }
  }
}

type Counted = readonly { readonly metric: string; readonly count: number }[];

/** Keeps the most frequent versions apart, of a day that was folded before the same ones as then; the rest counts as one. */
function withOthers(counted: Counted, prefix: string, earlier: readonly ReportTotal[]): Counted {
  const others = prefix + OTHER_VERSIONS;
  const apart = new Set(earlier.map(({ metric }) => metric));
  const rank = ({ metric }: Counted[number]): number => (metric === others ? 2 : apart.has(metric) ? 0 : 1);
  const ofKind = counted.filter(({ metric }) => metric.startsWith(prefix));
  const more = counted.filter(({ metric }) => !metric.startsWith(prefix));
  const most = [...ofKind]
    .sort((one, other) => rank(one) - rank(other) || other.count - one.count)
    .filter(({ metric }, at) => at < MAX_VERSIONS && metric !== others);
  const sum = (of: Counted): number => of.reduce((total, { count }) => total + count, 0);
  const rest = sum(ofKind) - sum(most);
  return [...more, ...most, ...(rest > 0 ? [{ metric: others, count: rest }] : [])];
}
