import type { Version } from '@sluice/kernel';
import type { RecallTarget } from './recall-target';
import type { Candidate, DeviceKind } from './select-build';

/**
 * What the active builds of a channel distinguish devices by. Devices of equal keys have the same choices, so devices can
 * not make up more keys than the builds allow: versions count by their place among those of the builds, and a
 * fingerprint that no build names counts as none.
 */
export class DeviceKinds {
  /** Those that a native version is compared with, ascending. */
  private readonly natives: readonly Version[];
  private readonly fingerprints: ReadonlySet<string | undefined>;
  /** Of the builds that were republished, newest first. */
  private readonly sources: readonly Version[];
  /** Whether any build is for clients of one kind. */
  private readonly byClient: boolean;

  /**
   * @param all newest first, as the republished ones
   * @param byPlatform whether any build, or any version that was recalled, is for one platform
   */
  constructor(
    private readonly all: readonly Candidate[],
    private readonly republished: readonly Candidate[],
    private readonly byPlatform: boolean,
  ) {
    const builds = [...all, ...republished];
    this.natives = builds
      .flatMap(({ minNativeVersion, nativeRange }) => [
        ...(minNativeVersion ? [minNativeVersion] : []),
        ...(nativeRange?.bounds ?? []),
      ])
      .sort((left, right) => left.compare(right));
    this.fingerprints = new Set(builds.flatMap(({ fingerprint }) => fingerprint ?? []));
    this.byClient = builds.some(({ client }) => client !== undefined);
    this.sources = republished
      .map(({ version, republishedVersion = version }) => republishedVersion)
      .sort((left, right) => right.compare(left));
  }

  /** Whether the current and the native version alone decide what this device may be offered. */
  isByVersions({ currentVersion, embeddedVersion, fingerprint, client }: DeviceKind): boolean {
    return (
      !this.byPlatform &&
      (client === undefined || !this.byClient) &&
      (fingerprint === undefined || this.fingerprints.size === 0) &&
      (embeddedVersion === undefined || (this.republished.length === 0 && embeddedVersion.compare(currentVersion) <= 0))
    );
  }

  /** @param target where a recall sends devices of the version; undefined: it is not recalled */
  keyOf(device: DeviceKind, target: RecallTarget | undefined): string {
    const { currentVersion, embeddedVersion = currentVersion, nativeVersion, fingerprint, platform } = device;
    const oldest = embeddedVersion.compare(currentVersion) > 0 ? embeddedVersion : currentVersion;
    const isNative = platform === 'ios' || platform === 'android';
    return [
      countNewer(this.all, oldest),
      countNewer(this.republished, currentVersion),
      device.embeddedVersion === undefined
        ? ''
        : this.sources.filter((source) => source.compare(embeddedVersion) > 0).length,
      nativeVersion === undefined ? '' : placeOf(nativeVersion, this.natives),
      this.byPlatform && isNative ? platform : '',
      this.fingerprints.has(fingerprint) ? fingerprint : '',
      (this.byClient && device.client) || '',
      target,
    ].join(' ');
  }
}

/** Of builds that are newest first. */
function countNewer(builds: readonly Candidate[], version: Version): number {
  return firstIndex(builds, (build) => build.version.compare(version) <= 0);
}

/** Before, between and after these versions, or at one of them. */
function placeOf(version: Version, ascending: readonly Version[]): number {
  const index = firstIndex(ascending, (other) => other.compare(version) >= 0);
  return 2 * index + (ascending[index]?.compare(version) === 0 ? 1 : 0);
}

/** Of the first element that it is true of, and of all after it; the length: of none. */
function firstIndex<Element>(list: readonly Element[], isFrom: (element: Element) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const element = list[middle];
    if (element !== undefined && !isFrom(element)) low = middle + 1;
    else high = middle;
  }
  return low;
}
