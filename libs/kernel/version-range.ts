import semver from 'semver';
import { hasCharacters } from './text';
import type { Version } from './version';

export const MAX_RANGE_LENGTH = 100;

/** A semver range. Prereleases count as any other version: `>=2.0.0` includes 2.1.0-beta. */
export interface VersionRange {
  /** In comparators alone, such as `>=2.1.0 <3.0.0-0||>=4.0.0`; `*`: every version. */
  readonly canonical: string;
  /** The versions that its comparators compare with. */
  readonly bounds: readonly Version[];
  readonly includes: (version: Version) => boolean;
  /** The lowest version in it that is above this one. */
  readonly lowestAbove: (version: Version) => Version | undefined;
}

const OPTIONS = { includePrerelease: true };

/** Undefined for a text that is no range, or is longer than 100 characters. */
export function parseRange(text: string): VersionRange | undefined {
  const range = semverRange(text);
  if (range === undefined) return undefined;
  const minima = range.set
    .map((comparators) => semver.minVersion(comparators.map(({ value }) => value).join(' ')))
    .filter((minimum) => minimum !== null)
    .map((minimum) => {
      // `>=2` begins with the first prerelease of 2.0.0; people name the release.
      const release = new semver.SemVer(`${minimum.major}.${minimum.minor}.${minimum.patch}`);
      return minimum.prerelease.join('.') === '0' && range.test(release) ? release : minimum;
    })
    .sort((left, right) => left.compare(right));
  return {
    canonical: range.range === '' ? '*' : range.range,
    // The comparator of `*` compares with no version.
    bounds: range.set.flat().flatMap(({ semver: bound }) => (bound instanceof semver.SemVer ? [bound] : [])),
    includes: (version) => range.test(version),
    lowestAbove: (version) => minima.find((minimum) => minimum.compare(version) > 0),
  };
}

/** Whether no version is in the range. */
export function isEmptyRange(text: string): boolean {
  const range = semverRange(text);
  return range !== undefined && semver.minVersion(range) === null;
}

/** Whether every version of `inner` is in `outer`. Both are ranges. */
export function rangeCovers(outer: string, inner: string): boolean {
  return semver.subset(inner, outer, OPTIONS);
}

/** Whether any version is in both ranges. */
export function rangesOverlap(one: string, other: string): boolean {
  return semver.intersects(one, other, OPTIONS);
}

function semverRange(text: string): semver.Range | undefined {
  if (!hasCharacters(text, 0, MAX_RANGE_LENGTH) || text.trim() === '') return undefined;
  try {
    return new semver.Range(text, OPTIONS);
  } catch {
    return undefined;
  }
}
