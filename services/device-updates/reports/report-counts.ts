import type { Collection, Condition, Row, StateStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import {
  ACTIVE,
  addDays,
  beginningWith,
  dayOf,
  daysBetween,
  MAX_LIVE_COUNTS,
  NATIVE_VERSIONS,
  PLATFORMS,
  VERSIONS,
} from './domain/report';
import { countActive, type DailyCount } from './active-devices';
import { checkCounts } from './check-counts';
import { deviceReports } from './device-reports';
import { errorTextId, OTHER_TEXT, ReportErrors } from './report-errors';

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

/** Its row `through` says up to which day, included, the totals are whole: they count, and the devices' reports no more. */
export interface ReportFold extends Row {
  readonly day: string;
}

export const reportFolds: Collection<ReportFold> = { name: 'reportFolds', indexes: [] };
export const FOLDED_THROUGH = 'through';

/**
 * Counts days up to `through` by their totals, later ones by the devices' reports. It counts again when a day was closed
 * meanwhile, which may have lost reports already: then it is in the totals.
 * @param count is given the last day whose totals are whole, empty when none ever was closed
 */
export async function countFolded<T>(state: StateStore, count: (through: string) => Promise<T>): Promise<T> {
  for (;;) {
    const through = await foldedThrough(state);
    const counted = await count(through);
    if ((await foldedThrough(state)) === through) return counted;
  }
}

async function foldedThrough(state: StateStore): Promise<string> {
  return (await state.rows(reportFolds).get(FOLDED_THROUGH))?.day ?? '';
}

export interface CountsWanted {
  readonly appId: number | { readonly in: readonly number[] };
  readonly metric: Condition;
  /** Both included; left out: from the first, to the last. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const MAX_ERRORS = 20;

export interface ReportedError {
  readonly metric: string;
  readonly error: string;
  /** Devices. */
  readonly count: number;
  /** ISO 8601; undefined where they are unknown: of errors that are counted together, and of an earlier release. */
  readonly firstAt: string | undefined;
  readonly lastAt: string | undefined;
}

/** Reads what was reported and checked, by metric and day: totals of closed days, the devices' reports since. */
export class ReportCounts {
  private readonly reportErrors: ReportErrors;

  constructor(private readonly options: { readonly state: StateStore; readonly clock: Clock }) {
    this.reportErrors = new ReportErrors(options.state);
  }

  /** What devices reported of builds, each thing of each device once; the days in no order. */
  reported({ appId, metric, from = '', to = '9999' }: CountsWanted): Promise<DailyCount[]> {
    const { state } = this.options;
    const most = MAX_LIVE_COUNTS * (typeof appId === 'number' ? 1 : appId.in.length);
    return this.closedAndLive(from, to, {
      closed: (day) => state.rows(reportTotals).find({ where: { appId, metric, day } }),
      live: (day) => state.rows(deviceReports).countBy(['metric', 'day'], { appId, metric, day }, most),
    });
  }

  /** The active devices, under the metrics of countActive; the days in no order. */
  active({
    appId,
    from = '',
    to = '9999',
  }: Omit<CountsWanted, 'metric' | 'appId'> & { readonly appId: number }): Promise<DailyCount[]> {
    const { state } = this.options;
    return this.closedAndLive(from, to, {
      closed: async (day) => {
        const totals = state.rows(reportTotals);
        const metrics = [ACTIVE, ...[VERSIONS, PLATFORMS, NATIVE_VERSIONS].map(beginningWith)];
        const found = await Promise.all(metrics.map((metric) => totals.find({ where: { appId, metric, day } })));
        return [...found.flat(), ...missingActive(found.flat())];
      },
      live: (day) => countActive(state.rows(deviceReports), { appId, day }),
    });
  }

  /** How often checks came: approximate (CheckCounts). */
  async checked({ appId, metric, from = '', to = '9999' }: CountsWanted): Promise<DailyCount[]> {
    return this.options.state.rows(checkCounts).find({ where: { appId, metric, day: { gte: from, lte: to } } });
  }

  /** The most frequent errors that devices reported with these metrics, each device once, of reports that are still kept. */
  async errors(appId: number, metrics: readonly string[], days: readonly string[]): Promise<ReportedError[]> {
    const rows = this.options.state.rows(deviceReports);
    const where = { day: { in: days }, appId, metric: { in: metrics } };
    const [interned, whole] = await Promise.all([
      rows.countBy(['metric', 'day', 'errorId'], { ...where, errorId: { gt: '' } }, MAX_LIVE_COUNTS),
      // Of rows that an earlier release wrote.
      rows.countBy(['metric', 'error'], { ...where, error: { gt: '' } }, MAX_ERRORS),
    ]);
    const idOf = ({ metric, day, errorId = '' }: (typeof interned)[number]): string =>
      errorTextId({ appId, day, metric }, errorId);
    const texts = await this.reportErrors.find(interned.map(idOf));
    const sums = new Map<string, ReportedError>();
    const add = ({ metric, error, count, firstAt, lastAt }: ReportedError): void => {
      const key = `${metric}/${error}`;
      const before = sums.get(key);
      sums.set(key, {
        ...{ metric, error, count: count + (before?.count ?? 0) },
        firstAt: [before?.firstAt, firstAt].filter((at) => at !== undefined).sort()[0],
        lastAt: [before?.lastAt, lastAt]
          .filter((at) => at !== undefined)
          .sort()
          .at(-1),
      });
    };
    for (const each of interned) {
      const { text = OTHER_TEXT, firstAt, lastAt } = texts.get(idOf(each)) ?? {};
      add({ metric: each.metric, error: text, count: each.count, firstAt, lastAt });
    }
    for (const { metric, error = '', count } of whole) {
      add({ metric, error, count, firstAt: undefined, lastAt: undefined });
    }
    return [...sums.values()].sort((a, b) => b.count - a.count).slice(0, MAX_ERRORS);
  }

  /** Closed days from their totals, and the days since from the devices' reports. */
  private async closedAndLive(
    from: string,
    to: string,
    { closed, live }: Readonly<Record<'closed' | 'live', (day: Condition) => Promise<DailyCount[]>>>,
  ): Promise<DailyCount[]> {
    return countFolded(this.options.state, async (through) => {
      const totals = await closed({ gte: from, lte: to < through ? to : through });
      const today = dayOf(this.options.clock.now());
      const days = daysBetween(through === '' ? today : addDays(through, 1), today);
      const counted = await live(
        through === '' ? { gte: from, lte: to } : { in: days.filter((day) => day >= from && day <= to) },
      );
      return [...totals, ...counted];
    });
  }
}

/** Days that an earlier release closed have no total: there a device counts once for each version. */
export function missingActive(totals: readonly DailyCount[]): DailyCount[] {
  const known = new Set(totals.filter(({ metric }) => metric === ACTIVE).map(({ day }) => day));
  const sums = new Map<string, number>();
  for (const { metric, day, count } of totals) {
    if (metric.startsWith(VERSIONS) && !known.has(day)) sums.set(day, count + (sums.get(day) ?? 0));
  }
  return [...sums].map(([day, count]) => ({ metric: ACTIVE, day, count }));
}
