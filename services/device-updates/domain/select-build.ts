import { hashFraction, type Version } from '@sluice/kernel';

/** What the choice looks at in an active build. */
export interface Candidate {
  readonly buildId: number;
  readonly version: Version;
  /** Undefined: any native version will do. */
  readonly minNativeVersion: Version | undefined;
  /** 0 to 100. */
  readonly rolloutPercentage: number;
  /** False: the release is halted. */
  readonly rolloutEnabled: boolean;
  readonly mandatory: boolean;
}

/** The active builds of one channel, both lists newest version first. */
export interface ActiveBuilds<Build extends Candidate> {
  readonly all: readonly Build[];
  /** Those of `all` that are mandatory. */
  readonly mandatory: readonly Build[];
}

export type DevicePlatform = 'ios' | 'android' | 'web' | 'all';
export type AppPlatform = 'ios' | 'android' | 'both';

export interface Device {
  readonly deviceId: string;
  readonly platform: DevicePlatform;
  /** The bundle that runs now. */
  readonly currentVersion: Version;
  /** Undefined: not sent, so not gated. */
  readonly nativeVersion: Version | undefined;
}

export interface Selected<Build extends Candidate> {
  readonly build: Build;
  /** The build itself is mandatory, or one that it skips is. */
  readonly mandatory: boolean;
}

/** The newest build that this device may be offered now; undefined when there is nothing to do. */
export function selectBuild<Build extends Candidate>(
  builds: ActiveBuilds<Build>,
  appPlatform: AppPlatform,
  device: Device,
): Selected<Build> | undefined {
  if (!suits(device.platform, appPlatform)) return undefined;
  for (const build of builds.all) {
    if (build.version.compare(device.currentVersion) <= 0) return undefined;
    if (isOffered(build, device)) {
      return { build, mandatory: build.mandatory || skipsMandatory(builds.mandatory, build, device) };
    }
  }
  return undefined;
}

export function suits(device: DevicePlatform, app: AppPlatform): boolean {
  return device === 'web' || device === 'all' || app === 'both' || device === app;
}

function isOffered(build: Candidate, device: Device): boolean {
  return meetsNativeVersion(build, device) && build.rolloutEnabled && holds(build, device.deviceId);
}

export function meetsNativeVersion({ minNativeVersion }: Candidate, { nativeVersion }: Device): boolean {
  return minNativeVersion === undefined || nativeVersion === undefined || nativeVersion.compare(minNativeVersion) >= 0;
}

export function holds({ buildId, rolloutPercentage }: Candidate, deviceId: string): boolean {
  if (rolloutPercentage >= 100) return true;
  if (rolloutPercentage <= 0) return false;
  return bucketOf(buildId, deviceId) < rolloutPercentage;
}

/** From 0 to under 100. Stateless, the same on every process; so raising a percentage never drops a device. */
export function bucketOf(buildId: number, deviceId: string): number {
  return 100 * hashFraction(`${deviceId}:${buildId}`);
}

function skipsMandatory(mandatory: readonly Candidate[], offered: Candidate, device: Device): boolean {
  for (const build of mandatory) {
    if (build.version.compare(device.currentVersion) <= 0) return false;
    if (build.version.compare(offered.version) < 0 && isOffered(build, device)) return true;
  }
  return false;
}
