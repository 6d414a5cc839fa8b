import semver from 'semver';

/** Whether the text is `major.minor.patch` in strict semver, without prerelease or build parts. */
export function isReleaseVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(text) && semver.valid(text) === text;
}

/** Orders two valid semver versions: negative, zero or positive, as Array.sort wants it. */
export function compareVersions(left: string, right: string): number {
  return semver.compare(left, right);
}

/**
 * Reads what devices send (spec 4): `1` is 1.0.0, `1.2` is 1.2.0, `v1.2.3` is 1.2.3; prerelease
 * and build parts are kept. Undefined when the text holds no version.
 */
export function coerceVersion(text: string): string | undefined {
  if (text.length > 256) return undefined;
  const trimmed = text.trim();
  if (!/^[v=]*\s*\d/i.test(trimmed)) return undefined;
  return semver.valid(trimmed, { loose: true }) ?? semver.coerce(trimmed, { includePrerelease: true })?.version;
}
