import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type Adoption,
  type AppDevices,
  type BuildStats,
  buildStateOf,
  type Channel,
  countDevicesBySigner,
  countDevicesOnVersions,
  devicePlatformSchema,
  getAdoption,
  getAppDevices,
  getBuildStats,
  type RequestOf,
} from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { channelName, type Clock, DomainError } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import { CLOCK } from '@sluice/service-host';
import { ServingIndex } from '../serving/serving-index';
import { signedVersions, signedVersionsProjection } from '../signing/signed-versions.projection';
import { devicesByVersion } from './device-states';
import {
  ACTIVE,
  addDays,
  buildMetric,
  checksMetric,
  dayOf,
  daysBetween,
  NATIVE_VERSIONS,
  OTHER_VERSIONS,
  PLATFORMS,
  REPORTED,
  VERSIONS,
} from './domain/report';
import { LatestReports, nothingReported } from './latest-reports';
import { readOffered } from './offered-devices';
import { ReportCounts } from './report-counts';
import { RunningDevices } from './running-devices';

/** Further versions count as one. */
const MAX_VERSIONS = 50;
const MAX_RELEASES = 200;

type Outcomes = BuildStats['totals'];
const NONE: Outcomes = {
  ...{ checks: 0, offered: 0, downloads: 0, download_failures: 0, installs: 0, install_failures: 0, rollbacks: 0 },
};

/** What devices reported, in numbers. */
@Injectable()
export class StatsHandlers {
  constructor(
    private readonly index: ServingIndex,
    private readonly counts: ReportCounts,
    private readonly latest: LatestReports,
    private readonly running: RunningDevices,
    private readonly readStore: ReadStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'deviceStateDays'>,
  ) {}

  @HandlesQuery(getAdoption)
  async adoption({ appId, from, to }: RequestOf<typeof getAdoption>): Promise<Adoption> {
    const days = daysBetween(from, to);
    const at = new Map(days.map((day, index) => [day, index]));
    const byMetric = new Map<string, number[]>();
    for (const { metric, day, count } of await this.counts.active({ appId, from, to })) {
      const active = byMetric.get(metric) ?? days.map(() => 0);
      byMetric.set(metric, active);
      active[at.get(day) ?? 0] = count;
    }
    const platforms = devicePlatformSchema.options.flatMap((platform) => {
      const active = byMetric.get(PLATFORMS + platform);
      return active === undefined ? [] : [{ platform, active }];
    });
    return {
      ...{ days, total: byMetric.get(ACTIVE) ?? days.map(() => 0), platforms },
      versions: mostFrequent(byMetric, VERSIONS, days.length),
      native_versions: mostFrequent(byMetric, NATIVE_VERSIONS, days.length),
      releases: this.releases(appId, at),
    };
  }

  private releases(appId: number, days: ReadonlyMap<string, unknown>): Adoption['releases'] {
    return this.index.builds
      .ofApp(appId)
      .flatMap(({ facts: { buildId: build_id, version, channel, releasedAt: at } }) =>
        at !== undefined && days.has(at.slice(0, 10)) ? [{ build_id, version, channel: channelName(channel), at }] : [],
      )
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(0, MAX_RELEASES);
  }

  @HandlesQuery(getBuildStats)
  async build({ appId, id, from, to }: RequestOf<typeof getBuildStats>): Promise<BuildStats> {
    const build = this.index.builds.find(id)?.facts;
    if (build?.appId !== appId) throw new DomainError('BUILD_NOT_FOUND', `There is no build ${id} here.`);
    const { channel, version } = build;
    const memberOf = new Map<string, keyof Outcomes>(
      REPORTED.map((outcome) => [buildMetric(id, outcome), outcome] as const),
    );
    const [reported, offered, [running], checked, errors] = await Promise.all([
      this.counts.reported({ appId, metric: { in: [...memberOf.keys()] } }),
      readOffered(this.state, appId, [id]),
      this.running.of([appId]),
      this.counts.checked({ appId, metric: checksMetric(channel) }),
      this.errors(appId, id, daysBetween(from, to)),
    ]);

    const days = new Map<string, Outcomes>();
    for (const { metric, day, count } of reported) {
      const member = memberOf.get(metric);
      if (member !== undefined) days.set(day, { ...(days.get(day) ?? NONE), [member]: count });
    }
    const { devices = 0, days: offeredOn = [] } = offered.get(id) ?? {};
    for (const [day, count] of offeredOn) days.set(day, { ...(days.get(day) ?? NONE), offered: count });
    for (const { day, count } of checked) {
      const outcomes = days.get(day);
      if (outcomes !== undefined) days.set(day, { ...outcomes, checks: count });
    }
    const totals = [...days.values()].reduce(plus, NONE);
    return {
      ...{ build_id: id, version, channel: channelName(channel), running: running?.byBuild.get(id) ?? 0 },
      rolled_back_devices: this.index.builds.rollbacks.devicesOf(build)?.size ?? 0,
      // A device that downloaded it was offered it.
      totals: { ...totals, offered: Math.max(devices, totals.downloads) },
      days: daysBetween(from, to).map((day) => ({ day, ...(days.get(day) ?? NONE) })),
      errors,
    };
  }

  private async errors(appId: number, id: number, days: readonly string[]): Promise<BuildStats['errors']> {
    const reportOf = new Map<string, BuildStats['errors'][number]['report']>([
      [buildMetric(id, 'download_failures'), 'download'],
      [buildMetric(id, 'install_failures'), 'install'],
      [buildMetric(id, 'rollbacks'), 'rollback'],
    ]);
    const errors = await this.counts.errors(appId, [...reportOf.keys()], days);
    return errors.flatMap(({ metric, error, count, firstAt: first_at = null, lastAt: last_at = null }) => {
      const report = reportOf.get(metric);
      return report === undefined ? [] : [{ report, error, count, first_at, last_at }];
    });
  }

  @HandlesQuery(getAppDevices)
  async apps({ apps }: RequestOf<typeof getAppDevices>): Promise<AppDevices[]> {
    const today = dayOf(this.clock.now());
    const yesterday = addDays(today, -1);
    const reported = await this.latest.of(apps, [yesterday, today]);
    return apps.map((app) => {
      const { active, installFailures, rollbacks } = reported.get(app) ?? nothingReported();
      return {
        channels: this.index
          .channelsOf(app)
          .map((channel) => ({ channel: channelName(channel), build: this.served(app, channel) })),
        ...{ active_today: active[today] ?? 0, active_yesterday: active[yesterday] ?? 0 },
        ...{ install_failures: installFailures, rollbacks },
      };
    });
  }

  private served(app: number, channel: Channel): AppDevices['channels'][number]['build'] {
    const build = this.index.builds.newestActive(app, channel)?.facts;
    if (build === undefined) return null;
    const { buildId: id, version, rolloutPercentage, rolloutEnabled, mandatory } = build;
    const rollout = { rollout_percentage: rolloutPercentage, rollout_enabled: rolloutEnabled };
    return { id, version, state: buildStateOf({ status: 'active', ...rollout }), ...rollout, mandatory };
  }

  @HandlesQuery(countDevicesOnVersions)
  async devicesOnVersions({ appId, versions }: RequestOf<typeof countDevicesOnVersions>) {
    const devices = await devicesByVersion(this.state, appId, {
      ...{ today: dayOf(this.clock.now()), days: this.settings.deviceStateDays },
    });
    return { counts: versions.map((version) => devices.get(version) ?? 0) };
  }

  @HandlesQuery(countDevicesBySigner)
  async devicesBySigner({ appId, keys }: RequestOf<typeof countDevicesBySigner>) {
    const signed = this.readStore.view(signedVersionsProjection.name, signedVersions);
    const [rows, devices] = await Promise.all([
      signed.find({ where: { appId } }),
      devicesByVersion(this.state, appId, { today: dayOf(this.clock.now()), days: this.settings.deviceStateDays }),
    ]);
    const firstSigned = new Map<string, number>();
    for (const { version, signedAt } of rows) {
      if (signedAt !== '')
        firstSigned.set(version, Math.min(Date.parse(signedAt), firstSigned.get(version) ?? Infinity));
    }
    const counts = keys.map(({ createdAt, supersededAt }) => {
      const from = Date.parse(createdAt);
      const until = supersededAt === null ? Infinity : Date.parse(supersededAt);
      return [...firstSigned]
        .filter(([, at]) => at >= from && at < until)
        .reduce((sum, [version]) => sum + (devices.get(version) ?? 0), 0);
    });
    return { counts };
  }
}

/** The most frequent first; further ones, and those that a closed day counts together, as null. */
function mostFrequent(
  byMetric: ReadonlyMap<string, number[]>,
  prefix: string,
  days: number,
): { version: string | null; active: number[] }[] {
  const named = [...byMetric]
    .filter(([metric]) => metric.startsWith(prefix) && metric !== prefix + OTHER_VERSIONS)
    .sort(([one, left], [other, right]) => sum(right) - sum(left) || (one < other ? -1 : 1));
  const others = [
    ...named.slice(MAX_VERSIONS).map(([, active]) => active),
    byMetric.get(prefix + OTHER_VERSIONS) ?? [],
  ].reduce((sums, active) => sums.map((total, day) => total + (active[day] ?? 0)), Array<number>(days).fill(0));
  const versions = named
    .slice(0, MAX_VERSIONS)
    .map(([metric, active]) => ({ version: metric.slice(prefix.length), active }));
  return sum(others) === 0 ? versions : [...versions, { version: null, active: others }];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function plus(left: Outcomes, right: Outcomes): Outcomes {
  const members = Object.keys(NONE) as (keyof Outcomes)[];
  return Object.fromEntries(members.map((member) => [member, left[member] + right[member]])) as Outcomes;
}
