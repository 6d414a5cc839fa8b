import type { StateStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import type { ServedBuild, ServedBuilds } from '../serving/served-builds';
import { deviceStates } from './device-states';
import { addDays, dayOf, daysBetween, MAX_LIVE_COUNTS } from './domain/report';
import { KeptCounts } from './kept-counts';

export interface RunningDevicesOptions {
  readonly state: StateStore;
  readonly index: { readonly builds: Pick<ServedBuilds, 'find' | 'ofVersion'> };
  readonly clock: Clock;
  readonly settings: { readonly deviceStateDays: number };
}

export interface Running {
  /** Left out: no device runs it. */
  readonly byBuild: ReadonlyMap<number, number>;
  /** Devices that run no build that is known. */
  readonly others: number;
}

const KEPT_APPS = 1_000;

/** Counts the devices that run each build of an app, by the last report of each. */
export class RunningDevices {
  private readonly kept: KeptCounts<number, Running>;

  constructor(private readonly options: RunningDevicesOptions) {
    this.kept = new KeptCounts({ clock: options.clock, max: KEPT_APPS });
  }

  /** Of each app, in their order. Reports of the last DEVICE_STATE_DAYS days count. @param patienceMs of KeptCounts */
  of(apps: readonly number[], patienceMs?: number): Promise<Running[]> {
    return this.kept.of(apps, (due) => this.count(due), patienceMs);
  }

  private async count(apps: readonly number[]): Promise<Running[]> {
    const counted = await this.countVersions(apps);
    const running = new Map(apps.map((app) => [app, { byBuild: new Map<number, number>(), others: 0 }]));
    for (const { appId, version, installed, count } of counted) {
      const of = running.get(appId);
      if (of === undefined) continue;
      const build = version && this.buildOf(appId, version, installed);
      if (build) of.byBuild.set(build.buildId, count + (of.byBuild.get(build.buildId) ?? 0));
      else of.others += count;
    }
    return [...running.values()];
  }

  /** By one query, unless that can't hold all: clients can make up versions, which must not displace those of other apps. */
  private async countVersions(apps: readonly number[]) {
    const { state, clock, settings } = this.options;
    const today = dayOf(clock.now());
    const day = { in: daysBetween(addDays(today, -settings.deviceStateDays), today) };
    const ofApps = (some: readonly number[]) => {
      const where = { appId: { in: some }, day };
      return state.rows(deviceStates).countBy(['appId', 'version', 'installed'], where, MAX_LIVE_COUNTS);
    };
    const counted = await ofApps(apps);
    if (apps.length === 1 || counted.length < MAX_LIVE_COUNTS) return counted;
    const ofEach: typeof counted = [];
    for (const app of apps) ofEach.push(...(await ofApps([app])));
    return ofEach;
  }

  /**
   * The build of this version that the device installed. If it installed another version last, it went back to one, or has it
   * from its native app: the build in the channel of that one, or the only build of the version.
   */
  private buildOf(appId: number, version: string, installed: number | null | undefined): ServedBuild | undefined {
    const { builds } = this.options.index;
    const candidates = builds.ofVersion(appId, version);
    const last = typeof installed === 'number' ? builds.find(installed)?.facts : undefined;
    return (
      candidates.find(({ buildId }) => buildId === installed) ??
      candidates.find(({ facts }) => facts.channel === last?.channel) ??
      (candidates.length === 1 ? candidates[0] : undefined)
    );
  }
}
