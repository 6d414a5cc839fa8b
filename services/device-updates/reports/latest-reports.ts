import type { StateStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import { ACTIVE, beginningWith, BUILDS, VERSIONS } from './domain/report';
import { deviceReports } from './device-reports';
import { KeptCounts } from './kept-counts';
import { countFolded, missingActive, reportTotals } from './report-counts';

/** What the devices of an app reported on some days, both of all its builds. */
export interface Reported {
  /** By day; each device counts once a day. */
  active: Record<string, number>;
  installFailures: number;
  rollbacks: number;
}

export const nothingReported = (): Reported => ({ active: {}, installFailures: 0, rollbacks: 0 });

const KEPT_APPS = 10_000;

/** Counts recent reports of many apps in one query. A count is kept for a moment, as in KeptCounts. */
export class LatestReports {
  private readonly kept: KeptCounts<string, Reported>;

  constructor(private readonly options: { readonly state: StateStore; readonly clock: Clock }) {
    this.kept = new KeptCounts({ clock: options.clock, max: KEPT_APPS });
  }

  async of(apps: readonly number[], days: readonly string[]): Promise<ReadonlyMap<number, Reported>> {
    const asked = new Map(apps.map((app) => [`${app}/${days.join('/')}`, app]));
    const found = await this.kept.of([...asked.keys()], async (keys) => {
      const counted = await this.count(
        keys.flatMap((key) => asked.get(key) ?? []),
        days,
      );
      return [...counted.values()];
    });
    return new Map([...asked.values()].flatMap((app, at) => (found[at] === undefined ? [] : [[app, found[at]]])));
  }

  private count(apps: readonly number[], days: readonly string[]): Promise<Map<number, Reported>> {
    return countFolded(this.options.state, async (through) => {
      const counted = new Map<number, Reported>(apps.map((app) => [app, nothingReported()]));
      const add = (app: number, day: string, metric: string, count: number): void => {
        const of = counted.get(app);
        if (of === undefined) return;
        if (metric === ACTIVE) of.active[day] = (of.active[day] ?? 0) + count;
        else if (metric.endsWith('/install_failures')) of.installFailures += count;
        else if (metric.endsWith('/rollbacks')) of.rollbacks += count;
      };
      const folded = days.filter((day) => day <= through);
      const live = days.filter((day) => day > through);
      await Promise.all([this.addTotals(apps, folded, add), this.addLive(apps, live, add)]);
      return counted;
    });
  }

  private async addTotals(apps: readonly number[], days: readonly string[], add: Add): Promise<void> {
    const totals = this.options.state.rows(reportTotals);
    const asked = apps.flatMap((app) =>
      days.map((day) => totals.find({ where: { id: beginningWith(`${app}/${day}/`) } })),
    );
    for (const ofDay of await Promise.all(asked)) {
      const appId = ofDay[0]?.appId ?? 0;
      for (const { day, metric, count } of [...ofDay, ...missingActive(ofDay)]) add(appId, day, metric, count);
    }
  }

  private async addLive(apps: readonly number[], days: readonly string[], add: Add): Promise<void> {
    if (days.length === 0) return;
    const reports = this.options.state.rows(deviceReports);
    const where = { day: { in: days }, appId: { in: apps } };
    const [active, ofBuilds] = await Promise.all([
      reports.countBy(['appId', 'day'], { ...where, metric: beginningWith(VERSIONS) }),
      reports.countBy(['appId', 'day', 'metric'], { ...where, metric: beginningWith(BUILDS) }),
    ]);
    for (const { appId, day, count } of active) add(appId, day, ACTIVE, count);
    for (const { appId, day, metric, count } of ofBuilds) add(appId, day, metric, count);
  }
}

type Add = (app: number, day: string, metric: string, count: number) => void;
