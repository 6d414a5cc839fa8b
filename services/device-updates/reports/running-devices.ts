import type { StateStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import type { ServedBuild, ServedBuilds } from '../serving/served-builds';
import { deviceStates } from './device-states';
import { addDays, dayOf, daysBetween, MAX_LIVE_COUNTS } from './domain/report';

export interface RunningDevicesOptions {
  readonly state: StateStore;
  readonly index: { readonly builds: Pick<ServedBuilds, 'find' | 'ofVersion'> };
  readonly clock: Clock;
  readonly settings: { readonly deviceStateDays: number };
}

type ByBuild = ReadonlyMap<number, number>;

/** A large fleet takes a second to count, and each open page asks again every few seconds. */
const KEPT_MS = 4_000;
const KEPT_APPS = 1_000;

/** Counts the devices that run each build of an app, by the last report of each; a count is kept for four seconds. */
export class RunningDevices {
  private readonly kept = new LRUCache<number, { readonly at: number; readonly counted: Promise<ByBuild> }>({
    max: KEPT_APPS,
  });

  constructor(private readonly options: RunningDevicesOptions) {}

  /** By build; left out: no device runs it. Reports of the last DEVICE_STATE_DAYS days count. */
  of(appId: number): Promise<ByBuild> {
    const now = this.options.clock.monotonic();
    const before = this.kept.get(appId);
    if (before !== undefined && now - before.at < KEPT_MS) return before.counted;
    const counted = this.count(appId);
    this.kept.set(appId, { at: now, counted });
    counted.catch(() => this.kept.delete(appId));
    return counted;
  }

  private async count(appId: number): Promise<ByBuild> {
    const { state, clock, settings } = this.options;
    const today = dayOf(clock.now());
    const where = { appId, day: { in: daysBetween(addDays(today, -settings.deviceStateDays), today) } };
    const counted = await state.rows(deviceStates).countBy(['version', 'installed'], where, MAX_LIVE_COUNTS);
    const byBuild = new Map<number, number>();
    for (const { version, installed, count } of counted) {
      const build = version && this.buildOf(appId, version, installed);
      if (build) byBuild.set(build.buildId, count + (byBuild.get(build.buildId) ?? 0));
    }
    return byBuild;
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
