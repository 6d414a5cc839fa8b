import semver from 'semver';

/** A parsed version, for comparing one with many: `left.compare(right)` is negative, zero or positive. */
export type Version = semver.SemVer;

/** Whether the text is `major.minor.patch` in strict semver, without prerelease or build parts. */
export function isReleaseVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(text) && semver.valid(text) === text;
}

/** Orders two valid semver versions: negative, zero or positive, as Array.sort wants it. */
export function compareVersions(left: string, right: string): number {
  return semver.compare(left, right);
}

/** What devices send: up to three leading numbers, further ones left out, then a prerelease part. */
const LENIENT = /^[v=\s]*(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?/i;

/**
 * Reads what devices send (spec 4): `1` is 1.0.0, `1.2` is 1.2.0, `v1.2.3` is 1.2.3; prerelease
 * parts count, build parts are dropped. Undefined when the text holds no version.
 */
export function parseVersion(text: string): Version | undefined {
  if (text.length > 256) return undefined;
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
