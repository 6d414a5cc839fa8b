import {
  bucketOf,
  holds,
  meetsNativeVersion,
  selectBuild,
  suits,
  type AppPlatform,
  type Candidate,
  type Device,
  type Selected,
} from './select-build';

/** Why a device is not offered a build. */
export type WhyNot =
  /** It is not active. */
  | 'status'
  | 'platform'
  | 'native_version'
  /** Its rollout is stopped. */
  | 'halted'
  /** The device's bucket is not below the percentage of its rollout. */
  | 'rollout'
  /** It would be, were a newer one not. */
  | 'newer_offered';

export interface ExplainedBuild<Build> {
  readonly build: Build;
  /** Every reason; none for the build that is offered. */
  readonly whyNot: readonly WhyNot[];
  /** Of this device in the rollout of this build, from 0 to under 100. */
  readonly bucket: number;
}

export interface Explanation<Build extends Candidate> {
  readonly selected: Selected<Build> | undefined;
  /** Newer than what the device runs, newest first. */
  readonly newer: readonly ExplainedBuild<Build>[];
  /** The builds that make the update mandatory: the offered one, or those that it skips. */
  readonly mandatoryBecauseOf: readonly Build[];
}

/**
 * Which of a channel's builds, whatever their status, the device would be offered, and why not each
 * newer one. The choice is selectBuild's own.
 */
export function explainChoice<Build extends Candidate & { readonly active: boolean }>(
  builds: readonly Build[],
  appPlatform: AppPlatform,
  device: Device,
): Explanation<Build> {
  const newestFirst = [...builds].sort((left, right) => right.version.compare(left.version));
  const all = newestFirst.filter(({ active }) => active);
  const selected = selectBuild({ all, mandatory: all.filter(({ mandatory }) => mandatory) }, appPlatform, device);

  const judged = newestFirst
    .filter(({ version }) => version.compare(device.currentVersion) > 0)
    .map((build) => ({
      build,
      reasons: reasonsAgainst(build, appPlatform, device),
      bucket: bucketOf(build.buildId, device.deviceId),
    }));
  const offered = selected?.build;
  return {
    selected,
    newer: judged.map(({ build, reasons, bucket }) => ({
      ...{ build, bucket },
      whyNot: reasons.length === 0 && build !== offered ? ['newer_offered'] : reasons,
    })),
    mandatoryBecauseOf: judged.flatMap(({ build, reasons }) =>
      offered !== undefined && reasons.length === 0 && build.mandatory && build.version.compare(offered.version) <= 0
        ? [build]
        : [],
    ),
  };
}

function reasonsAgainst(
  build: Candidate & { readonly active: boolean },
  appPlatform: AppPlatform,
  device: Device,
): WhyNot[] {
  return [
    ...(build.active ? [] : ['status' as const]),
    ...(suits(device.platform, appPlatform) ? [] : ['platform' as const]),
    ...(meetsNativeVersion(build, device) ? [] : ['native_version' as const]),
    ...(build.rolloutEnabled ? [] : ['halted' as const]),
    ...(holds(build, device.deviceId) ? [] : ['rollout' as const]),
  ];
}
