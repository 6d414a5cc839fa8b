import { requireBundleId, requireName, requireNativeVersion, requireReleaseVersion } from './field-rules';

const faults = (check: () => void) => {
  try {
    check();
  } catch (error) {
    return (error as { errors: unknown }).errors;
  }
  return undefined;
};

it.each(['x', 'é'.repeat(255), '😀'.repeat(255), undefined])('takes a name of 1 to 255 characters', (name) => {
  expect(faults(() => requireName(name))).toBeUndefined();
});

it.each([
  ['', 'The name must not be empty.'],
  [' \t', 'The name must not be empty.'],
  ['x'.repeat(256), 'The name must have at most 255 characters.'],
])('rejects the name %j', (name, message) => {
  expect(faults(() => requireName(name))).toEqual({ name: [message] });
});

it.each([null, 'com.example', 'a1_.b-2', `a.${'b'.repeat(153)}`])('takes the bundle id %s', (bundleId) => {
  expect(faults(() => requireBundleId(bundleId))).toBeUndefined();
});

it.each([
  ['', 'The bundle_id must be in reverse-DNS style, for example com.example.app.'],
  ['shop', 'The bundle_id must be in reverse-DNS style, for example com.example.app.'],
  ['1.shop', 'The bundle_id must be in reverse-DNS style, for example com.example.app.'],
  [`a.${'b'.repeat(154)}`, 'The bundle_id must have at most 155 characters.'],
])('rejects the bundle id %j', (bundleId, message) => {
  expect(faults(() => requireBundleId(bundleId))).toEqual({ bundle_id: [message] });
});

it.each(['0.0.0', '1.4.0', `${'9'.repeat(15)}.0.1`])('takes the version %s', (version) => {
  expect(faults(() => requireReleaseVersion(version))).toBeUndefined();
});

it.each(['', '1', '1.4', '1.4.0-beta', '01.4.0', 'v1.4.0', `${'9'.repeat(16)}.0.1`])(
  'rejects the version %j',
  (version) => {
    const message = 'The version must be major.minor.patch in strict semver, for example 1.4.0.';
    expect(faults(() => requireReleaseVersion(version))).toEqual({ version: [message] });
  },
);

it.each([null, undefined, '1', 'v1.2', '1.2.3-beta'])('takes the native version %s', (version) => {
  expect(faults(() => requireNativeVersion(version))).toBeUndefined();
});

it.each([
  ['newest', 'The min_native_version must be a version, for example 1.2 or 1.2.3.'],
  ['', 'The min_native_version must be a version, for example 1.2 or 1.2.3.'],
  [`1.2.3-${'x'.repeat(45)}`, 'The min_native_version must have at most 50 characters.'],
])('rejects the native version %j', (version, message) => {
  expect(faults(() => requireNativeVersion(version))).toEqual({ min_native_version: [message] });
});
