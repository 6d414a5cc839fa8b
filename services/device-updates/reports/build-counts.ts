import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type BuildCounts,
  buildStateOf,
  type Channel,
  countBuilds,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { channelName, type Clock } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import { CLOCK, LOGGER, type Logger } from '@sluice/service-host';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { ServedBuild } from '../serving/served-builds';
import { ServingIndex } from '../serving/serving-index';
import { deviceReports, reportsOfDevices } from './device-reports';
import { addDays, buildMetric, dayOf, daysBetween, readMetric } from './domain/report';
import { KeptCounts } from './kept-counts';
import { ReportCounts } from './report-counts';
import { type Running, RunningDevices } from './running-devices';

type AppCounts = ReplyOf<typeof countBuilds>[number];
type Day = BuildCounts['days'][number];
type Outcomes = Omit<Day, 'day'>;
type Attempts = Pick<BuildCounts, 'attempts' | 'failed_attempts'>;

/** Of a channel: active builds, those that replace recalled ones, and recalled ones. */
const MAX_ACTIVE = 5;
const MAX_OTHERS = 3;
/** Of an app, the ones with the highest ids. */
const MAX_BUILDS = 60;
const TREND_DAYS = 7;
/** Devices of a build whose failures are looked at one by one: of more, each report counts as a device. */
const MAX_FAILURES = 10_000;
/** Builds whose failures are looked at simultaneously. */
const ABREAST = 8;
const KEPT_APPS = 1_000;
/** Builds: their sums of closed days, and their attempts. */
const KEPT_BUILDS = 10_000;

const COUNTED = ['installs', 'install_failures', 'rollbacks'] as const;
const FAILURES = COUNTED.slice(1);
const MEMBERS = { complete: 'installed', failed: 'failed', rollback: 'rolled_back' } as const;
const nothing = (): Outcomes => ({ installed: 0, failed: 0, rolled_back: 0 });

interface Summed {
  readonly total: Outcomes;
  readonly days: ReadonlyMap<string, Outcomes>;
}

/** Counts what devices report of the builds that they get, for as many readers as there are. */
@Injectable()
export class BuildCountsHandlers {
  private readonly kept: KeptCounts<number, AppCounts>;
  /** Up to the day before yesterday: those days no longer change. The key is the build and that day. */
  private readonly past = new LRUCache<string, Summed>({ max: KEPT_BUILDS });
  private readonly turn = pLimit(ABREAST);
  private readonly tried = new LRUCache<number, { readonly of: string; readonly attempts: Attempts }>({
    max: KEPT_BUILDS,
  });

  constructor(
    private readonly index: ServingIndex,
    private readonly counts: ReportCounts,
    private readonly running: RunningDevices,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'reportRetentionDays'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.kept = new KeptCounts({ clock, max: KEPT_APPS });
  }

  @HandlesQuery(countBuilds)
  count({ apps }: RequestOf<typeof countBuilds>): Promise<AppCounts[]> {
    return this.kept.of(apps, (due) => this.countApps(due));
  }

  /** By the same queries, however many apps they are. */
  private async countApps(apps: readonly number[]): Promise<AppCounts[]> {
    const today = dayOf(this.clock.now());
    const shown = new Map(apps.map((app) => [app, this.shown(app)]));
    const previous = new Map([...shown.values()].flat().map((build) => [build, this.previous(build)]));
    const counted = [...new Set([...previous].flat())].filter((build) => build !== undefined);
    // Its own readers get the last counts meanwhile.
    const [running, outcomes] = await Promise.all([
      this.running.of(apps, Infinity),
      this.outcomes(apps, counted, today),
    ]);
    const of = (build: ServedBuild): Summed => outcomes.get(build.buildId) ?? { total: nothing(), days: new Map() };
    const errors: unknown[] = [];
    const asked = counted.map(async (build) => [build, await this.attempts(build, of(build).total, errors)] as const);
    const attempts = new Map(await Promise.all(asked));
    if (errors.length > 0) {
      const failed = { err: errors[0], builds: errors.length };
      this.logger.warn(failed, 'The devices that failed to install builds could not be counted');
    }
    const tried = (build: ServedBuild): Attempts => attempts.get(build) ?? { attempts: 0, failed_attempts: 0 };
    const trend = daysBetween(addDays(today, 1 - TREND_DAYS), today);
    return apps.map((app, at) => {
      const { byBuild, others } = running[at] ?? { byBuild: new Map<number, number>(), others: 0 };
      const devices = this.devicesOf({ byBuild, others });
      return {
        devices: [...byBuild.values()].reduce((sum, count) => sum + count, others),
        builds: (shown.get(app) ?? []).map((build) => {
          const { buildId, version, channel, status, rolloutEnabled, rolloutPercentage } = build.facts;
          const { total, days } = of(build);
          const before = previous.get(build);
          const rollout = { rollout_percentage: rolloutPercentage, rollout_enabled: rolloutEnabled };
          return {
            ...{ build_id: buildId, version, channel: channelName(channel) },
            ...{ state: buildStateOf({ status, ...rollout }), recalled: build.isRecalled },
            ...{ rollout_percentage: rolloutPercentage, channel_devices: devices.get(channel) ?? 0 },
            ...{ running: byBuild.get(buildId) ?? 0, ...total, ...tried(build) },
            days: trend.map((day) => ({ day, ...(days.get(day) ?? nothing()) })),
            previous: before === undefined ? null : { build_id: before.buildId, ...tried(before) },
          };
        }),
      };
    });
  }

  /** By the channel of the build that they run. Those that run none are devices of production: it is the default. */
  private devicesOf({ byBuild, others }: Running): ReadonlyMap<Channel, number> {
    const devices = new Map<Channel, number>([['production', others]]);
    for (const [id, count] of byBuild) {
      const channel = this.index.builds.find(id)?.facts.channel;
      if (channel !== undefined) devices.set(channel, count + (devices.get(channel) ?? 0));
    }
    return devices;
  }

  /** The builds that devices may get, and recalled ones; newest versions first. */
  private shown(appId: number): ServedBuild[] {
    const { builds } = this.index;
    const recalled = builds.ofApp(appId).filter((build) => build.isRecalled);
    const found = this.index.channelsOf(appId).flatMap((channel) => {
      const active = builds.active(appId, channel);
      const ofChannel = recalled.filter(({ facts }) => facts.channel === channel).sort(newerFirst);
      return [
        ...active.filter((build) => !build.isRepublished).slice(0, MAX_ACTIVE),
        ...active.filter((build) => build.isRepublished).slice(0, MAX_OTHERS),
        ...ofChannel.slice(0, MAX_OTHERS),
      ];
    });
    const last = found.map(({ buildId }) => buildId).sort((a, b) => b - a)[MAX_BUILDS - 1] ?? 0;
    return found.filter(({ buildId }) => buildId >= last);
  }

  /** The newest older build of its channel that devices got, and that is not recalled. */
  private previous(build: ServedBuild): ServedBuild | undefined {
    const { builds } = this.index;
    return builds.previousOf(build, ({ facts, isRecalled }) => facts.status !== 'processing' && !isRecalled);
  }

  private async outcomes(
    apps: readonly number[],
    builds: readonly ServedBuild[],
    today: string,
  ): Promise<ReadonlyMap<number, Summed>> {
    const ids = builds.map(({ buildId }) => buildId);
    if (ids.length === 0) return new Map();
    const appId = { in: apps };
    const until = addDays(today, -2);
    const keyOf = (id: number): string => `${id} ${until}`;
    const metrics = (of: readonly number[]) => ({
      in: of.flatMap((id) => COUNTED.map((outcome) => buildMetric(id, outcome))),
    });
    // Entries may be evicted while the others are counted.
    const known = new Map(ids.map((id) => [id, this.past.get(keyOf(id))]));
    const unknown = ids.filter((id) => known.get(id) === undefined);
    const [past, recent] = await Promise.all([
      unknown.length === 0 ? [] : this.counts.reported({ appId, metric: metrics(unknown), to: until }),
      this.counts.reported({ appId, metric: metrics(ids), from: addDays(until, 1) }),
    ]);
    const summed = sums(past);
    for (const id of unknown) {
      const sum = summed.get(id) ?? { total: nothing(), days: new Map() };
      known.set(id, sum);
      this.past.set(keyOf(id), sum);
    }
    const now = sums(recent);
    return new Map(
      ids.map((id) => {
        const parts = [known.get(id), now.get(id)].filter((part) => part !== undefined);
        const total = parts.reduce((sum, part) => plus(sum, part.total), nothing());
        return [id, { total, days: new Map(parts.flatMap(({ days }) => [...days])) }];
      }),
    );
  }

  /** Devices that reported several outcomes count once, as far as their reports are kept and can be read. */
  private async attempts(build: ServedBuild, total: Outcomes, errors: unknown[]): Promise<Attempts> {
    const { buildId } = build;
    const { installed, failed, rolled_back: rolledBack } = total;
    const failures = failed + rolledBack;
    const all = { attempts: installed + failures, failed_attempts: failures };
    if (failures === 0 || failures > MAX_FAILURES) return all;
    const of = `${installed} ${failed} ${rolledBack}`;
    const before = this.tried.get(buildId);
    if (before?.of === of) return before.attempts;
    try {
      const attempts = await this.turn(() => this.countAttempts(build, total));
      this.tried.set(buildId, { of, attempts });
      return attempts;
    } catch (error) {
      // It must not keep the counts of all other builds from being shown.
      errors.push(error);
      return before?.attempts ?? all;
    }
  }

  private async countAttempts({ facts: { appId }, buildId }: ServedBuild, total: Outcomes): Promise<Attempts> {
    const { installed, failed, rolled_back: rolledBack } = total;
    const failures = failed + rolledBack;
    const today = dayOf(this.clock.now());
    const found = await this.state.rows(deviceReports).countBy(
      ['device'],
      {
        appId,
        // The clock of another replica may be in the next day.
        day: { in: daysBetween(addDays(today, -this.settings.reportRetentionDays), addDays(today, 1)) },
        metric: { in: FAILURES.map((outcome) => buildMetric(buildId, outcome)) },
      },
      MAX_FAILURES,
    );
    const devices = found.map(({ device }) => device);
    const installs = await reportsOfDevices(this.state, appId, buildMetric(buildId, 'installs'), devices);
    const twice = found.reduce((sum, { count }) => sum + count - 1, 0);
    return {
      attempts: Math.max(0, installed + failures - twice - installs.length),
      failed_attempts: Math.max(0, failures - twice),
    };
  }
}

const newerFirst = (one: ServedBuild, other: ServedBuild): number => other.version.compare(one.version);

const plus = (one: Outcomes, other: Outcomes): Outcomes => ({
  installed: one.installed + other.installed,
  failed: one.failed + other.failed,
  rolled_back: one.rolled_back + other.rolled_back,
});

/** By build. */
function sums(
  counts: readonly { readonly metric: string; readonly day: string; readonly count: number }[],
): ReadonlyMap<number, Summed> {
  const found = new Map<number, { total: Outcomes; days: Map<string, Outcomes> }>();
  for (const { metric, day, count } of counts) {
    const read = readMetric(metric);
    if (read.report !== 'install') continue;
    const of = found.get(read.buildId) ?? { total: nothing(), days: new Map<string, Outcomes>() };
    const more = { ...nothing(), [MEMBERS[read.status]]: count };
    of.total = plus(of.total, more);
    of.days.set(day, plus(of.days.get(day) ?? nothing(), more));
    found.set(read.buildId, of);
  }
  return found;
}
