import { ValidationError } from './domain-error';
import { hasCharacters, NOT_BLANK } from './text';
import { coerceVersion, RELEASE_VERSION } from './version';
import { isEmptyRange, parseRange } from './version-range';

/*
 * Rules of fields that the HTTP API checks first and deciders rely on, with the messages of the API. Deciders check them
 * again, because commands do not come from the gateway alone.
 */

export const MAX_NAME_LENGTH = 255;
export const NAME_TOO_LONG = 'The name must have at most 255 characters.';
export const NAME_BLANK = 'The name must not be empty.';

export const BUNDLE_ID = /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)+$/;
export const MAX_BUNDLE_ID_LENGTH = 155;
export const BUNDLE_ID_TOO_LONG = 'The bundle_id must have at most 155 characters.';
export const BUNDLE_ID_RULE = 'The bundle_id must be in reverse-DNS style, for example com.example.app.';

export const RELEASE_VERSION_RULE = 'The version must be major.minor.patch in strict semver, for example 1.4.0.';

export const MAX_NATIVE_VERSION_LENGTH = 50;
export const NATIVE_VERSION_TOO_LONG = 'The min_native_version must have at most 50 characters.';
export const NATIVE_VERSION_RULE = 'The min_native_version must be a version, for example 1.2 or 1.2.3.';

/** @throws ValidationError for a name that is blank or has more than 255 characters; undefined is left as it is */
export function requireName(name: string | undefined): void {
  if (name === undefined) return;
  if (!hasCharacters(name, 0, MAX_NAME_LENGTH)) throw new ValidationError({ name: [NAME_TOO_LONG] });
  if (!NOT_BLANK.test(name)) throw new ValidationError({ name: [NAME_BLANK] });
}

/** @throws ValidationError for a text that is not in reverse-DNS style or has more than 155 characters; null is left as it is */
export function requireBundleId(bundleId: string | null): void {
  if (bundleId === null) return;
  if (bundleId.length > MAX_BUNDLE_ID_LENGTH) throw new ValidationError({ bundle_id: [BUNDLE_ID_TOO_LONG] });
  if (!BUNDLE_ID.test(bundleId)) throw new ValidationError({ bundle_id: [BUNDLE_ID_RULE] });
}

export const MAX_REASON_LENGTH = 500;
export const REASON_RULE =
  'The reason must not be empty and have at most 500 characters. Say what is wrong with the build.';

/** @throws ValidationError for a text that is blank or has more than 500 characters */
export function requireReason(reason: string): void {
  if (hasCharacters(reason, 0, MAX_REASON_LENGTH) && NOT_BLANK.test(reason)) return;
  throw new ValidationError({ reason: [REASON_RULE] });
}

/** @throws ValidationError unless it is major.minor.patch, as channels sort it */
export function requireReleaseVersion(version: string): void {
  if (!RELEASE_VERSION.test(version)) throw new ValidationError({ version: [RELEASE_VERSION_RULE] });
}

/** @throws ValidationError for a text that devices can't be compared with; null and undefined are left as they are */
export function requireNativeVersion(version: string | null | undefined): void {
  if (version === null || version === undefined) return;
  const isShort = hasCharacters(version, 0, MAX_NATIVE_VERSION_LENGTH);
  if (!isShort) throw new ValidationError({ min_native_version: [NATIVE_VERSION_TOO_LONG] });
  if (coerceVersion(version) === undefined) throw new ValidationError({ min_native_version: [NATIVE_VERSION_RULE] });
}

export const NATIVE_RANGE_RULE =
  'The native_range must be a semver range of at most 100 characters, for example >=2.1.0 <3.0.0.';
export const NATIVE_RANGE_EMPTY = 'The native_range includes no version. Check its bounds.';
export const ONE_NATIVE_RULE =
  'Send min_native_version or native_range, not both: min_native_version 2.1.0 is the short form of native_range >=2.1.0.';

/** @throws ValidationError for a text that is no range, or one without any version; null and undefined are left as they are */
export function requireNativeRange(range: string | null | undefined): void {
  if (range === null || range === undefined) return;
  if (parseRange(range) === undefined) throw new ValidationError({ native_range: [NATIVE_RANGE_RULE] });
  if (isEmptyRange(range)) throw new ValidationError({ native_range: [NATIVE_RANGE_EMPTY] });
}

/** What a header can hold as it is, without spaces. */
export const FINGERPRINT = /^[!-~]{1,128}$/;
export const FINGERPRINT_RULE =
  'The fingerprint must be 1 to 128 printable ASCII characters without spaces, as devices send it in X-Native-Fingerprint.';

/** @throws ValidationError for a text that no device can send; null and undefined are left as they are */
export function requireFingerprint(fingerprint: string | null | undefined): void {
  if (fingerprint === null || fingerprint === undefined || FINGERPRINT.test(fingerprint)) return;
  throw new ValidationError({ fingerprint: [FINGERPRINT_RULE] });
}
