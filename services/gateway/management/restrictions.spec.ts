import { validate } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import fc from 'fast-check';
import { canonicalOrigin, restrictionsBody, restrictionsOf } from './restrictions';

const readRestrictions = (body: unknown) => restrictionsOf(validate(restrictionsBody, body), body);

describe('an origin', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['HTTPS://App.Example.com', 'https://app.example.com'],
    ['https://*.example.com', 'https://*.example.com'],
    ['https://*.example.com:8443', 'https://*.example.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://localhost', 'http://localhost'],
    ['http://localhost:8100', 'http://localhost:8100'],
    ['http://app.localhost', 'http://app.localhost'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://192.168.1.20', 'http://192.168.1.20'],
    ['http://10.0.0.1', 'http://10.0.0.1'],
    ['http://172.31.0.1', 'http://172.31.0.1'],
    ['http://169.254.1.1', 'http://169.254.1.1'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://[fe80::1]', 'http://[fe80::1]'],
    ['http://[fd00::1]', 'http://[fd00::1]'],
  ])('may be %s', (text, canonical) => {
    expect(canonicalOrigin(text)).toBe(canonical);
  });

  it.each([
    'http://app.example.com',
    'http://172.32.0.1',
    'http://8.8.8.8',
    'http://localhost.example.com',
    'http://[2001:db8::1]',
    'http://*.localhost',
    'http://*.example.com',
    'https://*',
    'https://*.com',
    'https://*.10.0.0.1',
    'https://a.*.example.com',
    'https://**.example.com',
    'https://*example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com?x',
    'https://app.example.com#x',
    'https://user@app.example.com',
    'https://app.example.com:',
    'https://app.example.com:99999',
    'https:app.example.com',
    'https://app example.com',
    ' https://app.example.com',
    'app.example.com',
    'ftp://app.example.com',
    'null',
    '*',
    '',
  ])('may not be "%s"', (text) => {
    expect(canonicalOrigin(text)).toBeUndefined();
  });

  it('whatever text it is: accepted only as what a browser sends, which is accepted as it is', () => {
    const text = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.nat(70_000)).map(([s, d, p]) => `${s}://${d}:${p}`),
      fc.tuple(fc.constantFrom('http', 'https'), fc.ipV4()).map(([s, a]) => `${s}://${a}`),
      fc.tuple(fc.constantFrom('http', 'https'), fc.ipV6()).map(([s, a]) => `${s}://[${a}]`),
      fc.domain().map((domain) => `https://*.${domain}`),
    );
    fc.assert(
      fc.property(text, (given) => {
        const canonical = canonicalOrigin(given);
        if (canonical === undefined) return;
        expect(canonicalOrigin(canonical)).toBe(canonical);
        expect(new URL(canonical).origin).toBe(canonical);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the body of restrictions', () => {
  const fieldsOf = (body: unknown) => {
    const parsed = restrictionsBody.safeParse(body);
    return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
  };
  const colons = 'ab'.repeat(32).match(/../g)!.join(':');

  it('is answered as it was sent, but for unknown members', () => {
    const body = {
      origins: ['https://a.example.com'],
      android: [{ package_name: 'com.example', sha256: [colons], sha1: ['CD'.repeat(20)] }],
      ios: [{ bundle_id: 'com.example' }, { bundle_id: 'com.example', team_id: 'T' }],
    };
    expect(restrictionsBody.parse({ ...body, later: 1 })).toEqual(body);
    expect(restrictionsBody.parse({})).toEqual({});
  });

  it('is rejected when it names no kind of restriction at all, which would open the key', () => {
    expect(readRestrictions({})).toEqual({});
    expect(readRestrictions({ origins: [], later: 1 })).toEqual({ origins: [] });
    for (const body of [{ typo: 1 }, { restrictions: { origins: ['https://a.example.com'] } }]) {
      expect(() => readRestrictions(body)).toThrow(ValidationError);
    }
  });

  it.each<[string, unknown, string]>([
    ['a wrong origin', { origins: ['https://ok.example', 'nope'] }, 'origins.1'],
    ['an endless origin', { origins: [`https://${'a'.repeat(250)}.com`] }, 'origins.0'],
    ['101 origins', { origins: Array(101).fill('https://a.example') }, 'origins'],
    ['null', { origins: null }, 'origins'],
    ['an entry without package', { android: [{}] }, 'android.0.package_name'],
    ['an endless package', { android: [{ package_name: 'a'.repeat(156) }] }, 'android.0.package_name'],
    ['a short fingerprint', { android: [{ package_name: 'a', sha256: ['ab'] }] }, 'android.0.sha256.0'],
    ['21 fingerprints', { android: [{ package_name: 'a', sha1: Array(21).fill('ab'.repeat(20)) }] }, 'android.0.sha1'],
    ['an empty team', { ios: [{ bundle_id: 'a', team_id: '' }] }, 'ios.0.team_id'],
    ['101 apps', { ios: Array(101).fill({ bundle_id: 'a' }) }, 'ios'],
    ['what it can not change', { name: 'x' }, 'name'],
    ['no object', [], ''],
  ])('rejects %s by its field', (_, body, field) => {
    expect(fieldsOf(body)).toContain(field);
  });
});
