import fc from 'fast-check';
import { blockedReason, compileRestrictions, type CallerIdentity, type Restrictions } from './restrictions';

const nobody: CallerIdentity = {
  origin: undefined,
  android_package: undefined,
  android_cert_sha256: undefined,
  android_cert_sha1: undefined,
  ios_bundle_id: undefined,
  ios_team_id: undefined,
};
const admits = (restrictions: Restrictions, caller: Partial<CallerIdentity>) =>
  compileRestrictions(restrictions)!({ ...nobody, ...caller });

const SHA256 = 'ab'.repeat(32);
const SHA1 = 'cd'.repeat(20);

describe('origins', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com', true],
    ['https://app.example.com', 'https://APP.example.com', true],
    ['https://app.example.com', 'http://app.example.com', false],
    ['https://app.example.com', 'https://app.example.com:8443', false],
    ['https://app.example.com:8443', 'https://app.example.com:8443', true],
    ['https://app.example.com', 'https://app.example.com.evil.example', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://.example.com', false],
    ['https://*.example.com', 'https://*.example.com', false],
    ['https://*.example.com', 'https://evilexample.com', false],
    ['https://*.example.com', 'http://a.example.com', false],
    ['https://*.example.com', 'https://a.example.com:444', false],
    ['https://*.example.com:444', 'https://a.example.com:444', true],
    ['https://*.example.com', 'https://evil.example/.example.com', false],
    ['https://*.example.com', 'https://evil.example#.example.com', false],
    ['https://app.example.com', 'null', false],
    ['https://*.example.com', 'null', false],
  ])('%s, asked from %s: %s', (allowed, origin, expected) => {
    expect(admits({ origins: [allowed] }, { origin })).toBe(expected);
  });

  it('whatever is in front of the domain and whatever comes: a wildcard admits its own subdomains alone', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), label, (labels, tail) => {
        const origins = ['https://*.example.com'];
        const host = labels.join('.');
        expect(admits({ origins }, { origin: `https://${host}.example.com` })).toBe(true);
        expect(admits({ origins }, { origin: `https://${host}.example.com.${tail}` })).toBe(false);
        expect(admits({ origins }, { origin: `https://${host}example.com` })).toBe(false);
      }),
    );
  });
});

describe('Android', () => {
  const bare = { android: [{ package_name: 'com.example' }] };
  const signed = { android: [{ package_name: 'com.example', sha256: [SHA256.toUpperCase()], sha1: [SHA1] }] };

  it.each<[string, Restrictions, Partial<CallerIdentity>, boolean]>([
    ['the package is enough without fingerprints', bare, { android_package: 'com.example' }, true],
    ['another package is refused', bare, { android_package: 'com.example.other' }, false],
    ['a package alone is not enough with fingerprints', signed, { android_package: 'com.example' }, false],
    [
      'either fingerprint will do: SHA-256',
      signed,
      { android_package: 'com.example', android_cert_sha256: SHA256 },
      true,
    ],
    ['either fingerprint will do: SHA-1', signed, { android_package: 'com.example', android_cert_sha1: SHA1 }, true],
    [
      'colons and case do not count',
      signed,
      { android_package: 'com.example', android_cert_sha1: SHA1.match(/../g)!.join(':').toUpperCase() },
      true,
    ],
    [
      'another fingerprint is refused',
      signed,
      { android_package: 'com.example', android_cert_sha1: 'ee'.repeat(20) },
      false,
    ],
    ['a fingerprint without its package is refused', signed, { android_cert_sha256: SHA256 }, false],
    [
      'one of several entries of a package will do',
      { android: [...signed.android, { package_name: 'com.example', sha1: ['ee'.repeat(20)] }] },
      { android_package: 'com.example', android_cert_sha1: 'ee'.repeat(20) },
      true,
    ],
  ])('%s', (_, restrictions, caller, expected) => {
    expect(admits(restrictions, caller)).toBe(expected);
  });
});

describe('iOS', () => {
  const team = { ios: [{ bundle_id: 'com.example', team_id: 'TEAM1' }] };

  it.each<[string, Partial<CallerIdentity>, boolean]>([
    ['no team sent', { ios_bundle_id: 'com.example' }, true],
    ['the team sent', { ios_bundle_id: 'com.example', ios_team_id: 'TEAM1' }, true],
    ['another team sent', { ios_bundle_id: 'com.example', ios_team_id: 'TEAM2' }, false],
    ['another bundle', { ios_bundle_id: 'com.other', ios_team_id: 'TEAM1' }, false],
  ])('%s', (_, caller, expected) => {
    expect(admits(team, caller)).toBe(expected);
  });
});

it('admits any of several teams of one bundle, and every team where an entry names none', () => {
  const entry = (team_id?: string) => ({ bundle_id: 'com.example', team_id });
  const caller = (ios_team_id: string) => ({ ios_bundle_id: 'com.example', ios_team_id });
  const two = { ios: [entry('TEAM1'), entry('TEAM2')] };
  expect(['TEAM1', 'TEAM2', 'TEAM3'].map((team) => admits(two, caller(team)))).toEqual([true, true, false]);
  expect(admits({ ios: [entry()] }, caller('TEAM9'))).toBe(true);
});

it('accepts a caller that meets one entry of any kind', () => {
  const any = { origins: ['https://app.example.com'], ios: [{ bundle_id: 'com.example' }] };
  expect(admits(any, { origin: 'https://evil.example', ios_bundle_id: 'com.example' })).toBe(true);
  expect(admits(any, { origin: 'https://app.example.com', ios_bundle_id: 'com.evil' })).toBe(true);
  expect(admits(any, { origin: 'https://evil.example', ios_bundle_id: 'com.evil' })).toBe(false);
  expect(admits(any, {})).toBe(false);
});

it('returns a reason that depends on what was sent', () => {
  expect(blockedReason(nobody)).toBe('no_identity');
  expect(blockedReason({ ...nobody, origin: 'https://a.b' })).toBe('origin_not_allowed');
  expect(blockedReason({ ...nobody, origin: 'https://a.b', ios_bundle_id: 'c' })).toBe('ios_app_not_allowed');
  expect(blockedReason({ ...nobody, android_package: 'c' })).toBe('android_app_not_allowed');
});
