import type { Collection, Condition, DocumentStore, Row } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import { addDays, dayOf, daysBetween } from '../domain/report';
import { checkCounts } from './check-counts';
import { deviceReports } from './device-reports';
import { ReportErrors } from './report-errors';

/** How many devices reported one thing on a closed day. The id is `appId/day/metric`. */
export interface ReportTotal extends Row {
  readonly appId: number;
  readonly metric: string;
  readonly day: string;
  readonly count: number;
}

export const reportTotals: Collection<ReportTotal> = {
  name: 'reportTotals',
  indexes: [{ fields: ['appId', 'metric', 'day'] }],
};

/** The one row that says up to which day, included, the totals are whole: they count, and the devices' reports no more. */
export interface ReportFold extends Row {
  readonly day: string;
}

export const reportFolds: Collection<ReportFold> = { name: 'reportFolds', indexes: [] };
export const FOLDED_THROUGH = 'through';

export interface DailyCount {
  readonly metric: string;
  readonly day: string;
  readonly count: number;
}

export interface CountsWanted {
  readonly appId: number;
  readonly metric: Condition;
  /** Both included; left out: from the first, to the last. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** More live metrics of one app than these are the work of somebody who makes up versions. */
const MAX_LIVE_COUNTS = 5_000;
const MAX_ERRORS = 20;
/** Shown in place of the texts that were not kept (ReportErrors). */
const OTHER_TEXT = '(other errors)';

/** Reads what was reported and checked, by metric and day: totals of closed days, the devices' reports since. */
export class ReportCounts {
  private readonly reportErrors: ReportErrors;

  constructor(private readonly options: { readonly state: DocumentStore; readonly clock: Clock }) {
    this.reportErrors = new ReportErrors(options.state);
  }

  /** What devices reported, each thing of each device once; the days in no order. */
  async reported({ appId, metric, from = '', to = '9999' }: CountsWanted): Promise<DailyCount[]> {
    const { state, clock } = this.options;
    for (;;) {
      const through = await this.foldedThrough();
      const last = to < through ? to : through;
      const totals = await state.rows(reportTotals).find({ where: { appId, metric, day: { gte: from, lte: last } } });
      const today = dayOf(clock.now());
      const days = daysBetween(through === '' ? today : addDays(through, 1), today);
      const live = await state.rows(deviceReports).countBy(
        ['metric', 'day'],
        {
          appId,
          metric,
          day: through === '' ? { gte: from, lte: to } : { in: days.filter((day) => day >= from && day <= to) },
        },
        MAX_LIVE_COUNTS,
      );
      // A day that was closed meanwhile may have lost reports already: then it is in the totals.
      if ((await this.foldedThrough()) === through) return [...totals, ...live];
    }
  }

  /** How often checks came, and builds were offered: approximate (CheckCounts). */
  async checked({ appId, metric, from = '', to = '9999' }: CountsWanted): Promise<DailyCount[]> {
    return this.options.state.rows(checkCounts).find({ where: { appId, metric, day: { gte: from, lte: to } } });
  }

  /** The most frequent errors that devices reported with these metrics, of reports that are still kept. */
  async errors(
    appId: number,
    metrics: readonly string[],
    days: readonly string[],
  ): Promise<{ metric: string; error: string; count: number }[]> {
    const rows = this.options.state.rows(deviceReports);
    const where = { day: { in: days }, appId, metric: { in: metrics } };
    const [interned, whole] = await Promise.all([
      rows.countBy(['metric', 'day', 'errorId'], { ...where, errorId: { gt: '' } }, MAX_LIVE_COUNTS),
      // Of rows that an earlier release wrote.
      rows.countBy(['metric', 'error'], { ...where, error: { gt: '' } }, MAX_ERRORS),
    ]);
    const idOf = ({ metric, day, errorId = '' }: (typeof interned)[number]): string =>
      `${appId}/${day}/${metric}/${errorId}`;
    const texts = await this.reportErrors.texts(interned.map(idOf));
    const sums = new Map<string, { metric: string; error: string; count: number }>();
    const add = (metric: string, error: string, count: number): void => {
      const key = `${metric}/${error}`;
      sums.set(key, { metric, error, count: count + (sums.get(key)?.count ?? 0) });
    };
    for (const each of interned) add(each.metric, texts.get(idOf(each)) ?? OTHER_TEXT, each.count);
    for (const { metric, error = '', count } of whole) add(metric, error, count);
    return [...sums.values()].sort((a, b) => b.count - a.count).slice(0, MAX_ERRORS);
  }

  /** Empty when no day was ever closed. */
  private async foldedThrough(): Promise<string> {
    return (await this.options.state.rows(reportFolds).get(FOLDED_THROUGH))?.day ?? '';
  }
}
