import { compareVersions } from '@sluice/kernel';
import type { BuildStatus, NativeRules } from './channel-events';

/** What the retention of a channel judges a build by. */
export interface RetainedBuild extends NativeRules {
  readonly buildId: number;
  readonly version: string;
  readonly status: BuildStatus;
  readonly rolloutPercentage: number;
  readonly rolloutEnabled: boolean;
  readonly minNativeVersion: string | null;
  readonly audience?: object | null | undefined;
  readonly mandatory: boolean;
  /** The recalled build that it replaces; left out: it is an ordinary one. */
  readonly recallOf?: number | undefined;
}

/**
 * The builds of one channel that go when the newest `keep` versions of each platform are kept (0: none goes); those of
 * iOS, for example, are the builds for iOS and for all platforms. Where some are encrypted, so many that are not encrypted are
 * kept, too. Kept besides:
 *
 * - every build that a device may be offered, which the active head is one of: the active ones from the highest version
 *   down to the first that every device gets
 * - likewise the active mandatory ones: they make the update of a device mandatory that skips them
 * - a build that is still being checked, and one that is not `settled`
 *
 * Failed builds hold no version: they go with the versions below which nothing is kept. Which builds recalls use
 * and which have pinned devices is for the caller to find out: see isUsedByRecall and isPinned.
 *
 * @param settled whether a build changed long enough ago. One that is not leaves what is below it reachable.
 */
export function beyondRetention<Build extends RetainedBuild>(
  builds: Iterable<Build>,
  keep: number,
  settled: (build: Build) => boolean,
): Build[] {
  if (keep === 0) return [];
  const newestFirst = [...builds].sort((one, other) => compareVersions(other.version, one.version));
  const platforms = new Set([undefined, ...newestFirst.map(({ platform }) => platform)]);
  // Clients that decrypt are offered the builds of all clients as well.
  const ofAll = newestFirst.filter(({ delivery }) => delivery === undefined);
  const byClient = ofAll.length === newestFirst.length ? [ofAll] : [ofAll, newestFirst];
  const going = [...platforms].flatMap((platform) =>
    byClient.map((offered) => {
      const own = offered.filter((build) => build.platform === undefined || build.platform === platform);
      return { own: new Set(own), beyond: new Set(beyondOnPlatform(own, keep, settled)) };
    }),
  );
  return newestFirst.filter((build) => going.every(({ own, beyond }) => !own.has(build) || beyond.has(build)));
}

function beyondOnPlatform<Build extends RetainedBuild>(
  newestFirst: readonly Build[],
  keep: number,
  settled: (build: Build) => boolean,
): Build[] {
  const active = newestFirst.filter(({ status, recallOf }) => status === 'active' && recallOf === undefined);
  const reachable = new Set([
    ...throughCover(active, settled),
    ...throughCover(
      active.filter(({ mandatory }) => mandatory),
      settled,
    ),
  ]);
  let versions = 0;
  return newestFirst.filter((build) => {
    const isNewest = versions < keep;
    if (build.status !== 'failed') versions += 1;
    return !isNewest && build.status !== 'processing' && settled(build) && !reachable.has(build);
  });
}

/** Whether a device may be offered the build although its rollout leaves it out. */
export function isPinned(pinnedUntil: string | null | undefined, now: string): boolean {
  return typeof pinnedUntil === 'string' && Date.parse(pinnedUntil) > Date.parse(now);
}

/** Those down to the first that leaves no device of the platform to the ones below it. */
function throughCover<Build extends RetainedBuild>(newestFirst: readonly Build[], settled: (build: Build) => boolean) {
  const cover = newestFirst.findIndex(
    (build) =>
      build.rolloutEnabled &&
      build.rolloutPercentage === 100 &&
      build.minNativeVersion === null &&
      typeof build.nativeRange !== 'string' &&
      typeof build.fingerprint !== 'string' &&
      (build.audience ?? null) === null &&
      settled(build),
  );
  return cover < 0 ? newestFirst : newestFirst.slice(0, cover + 1);
}
