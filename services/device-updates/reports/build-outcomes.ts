import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildStateOf, type Channel } from '@sluice/contracts';
import { channelName, type Clock } from '@sluice/kernel';
import type { BuildReports } from '@sluice/telemetry';
import { addDays, buildMetric, dayOf } from './domain/report';
import type { ServingBuild } from '../serving/serving.projection';
import type { ReportCounts } from './report-counts';
import type { ServingIndex } from '../serving/serving-index';

export interface BuildOutcomesOptions {
  readonly index: Pick<ServingIndex, 'appIds'> & { readonly builds: Pick<ServingIndex['builds'], 'ofApp'> };
  readonly counts: Pick<ReportCounts, 'reported'>;
  readonly clock: Clock;
}

/** Per channel, the builds with the highest ids. */
const NEWEST = 3;
/** With four series each they make 500. */
export const MAX_BUILDS = 125;
/** Counting takes a second for a large fleet, and every replica is scraped. */
const KEPT_MS = 30_000;
/** Longer work lets update checks run first. */
const TURN_MS = 1;
/** Days of reports including today. Without a limit, each count would read more rows than the one before. */
const DAYS = 7;
const COUNTED = ['installs', 'install_failures', 'rollbacks'] as const;

/** The outcomes of the newest builds in seven days: three per channel, and of all these the newest `MAX_BUILDS`. */
export class NewestBuildOutcomes {
  private kept: { readonly at: number; readonly outcomes: Promise<readonly BuildReports[]> } | undefined;

  constructor(private readonly options: BuildOutcomesOptions) {}

  /** At most 30 seconds old. @throws DocumentStoreUnavailableError */
  read(): Promise<readonly BuildReports[]> {
    const now = this.options.clock.monotonic();
    if (this.kept === undefined || now - this.kept.at >= KEPT_MS) {
      const outcomes = this.count();
      this.kept = { at: now, outcomes };
      outcomes.catch(() => (this.kept = undefined));
    }
    return this.kept.outcomes;
  }

  private async count(): Promise<BuildReports[]> {
    const from = addDays(dayOf(this.options.clock.now()), 1 - DAYS);
    const outcomes: BuildReports[] = [];
    for (const [appId, builds] of await this.newest()) {
      const metrics = builds.flatMap(({ buildId }) => COUNTED.map((outcome) => buildMetric(buildId, outcome)));
      const sums = new Map<string, number>();
      for (const { metric, count } of await this.options.counts.reported({ appId, metric: { in: metrics }, from })) {
        sums.set(metric, count + (sums.get(metric) ?? 0));
      }
      for (const { buildId, channel, version, status, rolloutEnabled, rolloutPercentage } of builds) {
        const [installs = 0, installFailures = 0, rollbacks = 0] = COUNTED.map((outcome) =>
          sums.get(buildMetric(buildId, outcome)),
        );
        const rollout = { rollout_percentage: rolloutPercentage, rollout_enabled: rolloutEnabled };
        const inService = ['live', 'rolling_out'].includes(buildStateOf({ status, ...rollout }));
        outcomes.push({
          ...{ app: appId, channel: channelName(channel), build: buildId, version, inService },
          ...{ installs, installFailures, rollbacks },
        });
      }
    }
    return outcomes;
  }

  /** By app. Update checks run between one app and the next. */
  private async newest(): Promise<ReadonlyMap<number, readonly ServingBuild[]>> {
    const { index } = this.options;
    const found: ServingBuild[] = [];
    let turn = performance.now();
    for (const app of index.appIds()) {
      const newest = new Map<Channel, ServingBuild[]>();
      for (const { facts } of index.builds.ofApp(app)) {
        const ofChannel = [...(newest.get(facts.channel) ?? []), facts].sort(newestFirst);
        newest.set(facts.channel, ofChannel.slice(0, NEWEST));
      }
      found.push(...[...newest.values()].flat());
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
    const byApp = new Map<number, ServingBuild[]>();
    for (const build of found.sort(newestFirst).slice(0, MAX_BUILDS)) {
      byApp.set(build.appId, [...(byApp.get(build.appId) ?? []), build]);
    }
    return byApp;
  }
}

function newestFirst(one: ServingBuild, other: ServingBuild): number {
  return other.buildId - one.buildId;
}
