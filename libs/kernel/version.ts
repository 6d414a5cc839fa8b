import semver from 'semver';
import { hasCharacters } from './text';

/** A parsed version, for comparing one with many: `left.compare(right)` is negative, zero or positive. */
export type Version = semver.SemVer;

/** `major.minor.patch` in strict semver, without prerelease or build parts; numbers have at most 15 digits. */
export const RELEASE_VERSION = /^(?:0|[1-9][0-9]{0,14})(?:\.(?:0|[1-9][0-9]{0,14})){2}$/;

/** Orders two valid semver versions: negative, zero or positive, as Array.sort wants it. */
export function compareVersions(left: string, right: string): number {
  return semver.compare(left, right);
}

const MAX_VERSION_LENGTH = 250;

/**
 * How each text begins that parseVersion can read. It reads all of them that have at most 250 characters, but for those
 * with a number above 9007199254740991.
 */
export const VERSION_START = /^[vV=\s]*[0-9]/;

/** What devices send: up to three leading numbers, further ones left out, then a prerelease part. */
const LENIENT = /^[v=\s]*(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?/i;

/**
 * Reads versions as devices send them: `1` is 1.0.0, `1.2` is 1.2.0, `v1.2.3` is 1.2.3; prerelease
 * parts count, build parts are dropped. Undefined when the text holds no version.
 */
export function parseVersion(text: string): Version | undefined {
  if (!hasCharacters(text, 0, MAX_VERSION_LENGTH)) return undefined;
  const strict = semver.parse(text, { loose: true });
  if (strict !== null) return strict;
  const found = LENIENT.exec(text);
  if (found === null) return undefined;
  const [, major, minor = '0', patch = '0', prerelease = ''] = found;
  return semver.parse(`${major}.${minor}.${patch}${prerelease}`, { loose: true }) ?? undefined;
}

/** What parseVersion reads, as canonical text. */
export function coerceVersion(text: string): string | undefined {
  return parseVersion(text)?.version;
}
