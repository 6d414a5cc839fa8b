import fc from 'fast-check';
import { dataKeysOf } from '../../../test/support/data-keys';
import { DownloadUrls } from './download-urls';

const build = { buildId: 42, appId: 7, checksum: 'ab'.repeat(32) };
const clock = { time: 1_772_366_400_123, now: () => new Date(clock.time), monotonic: () => 0 };

const newUrls = (ttlSeconds = 1800, keys = dataKeysOf(Buffer.alloc(32, 1))) =>
  new DownloadUrls({
    keys,
    settings: { downloadUrlTtlSeconds: ttlSeconds },
    publicUrl: () => 'https://updates.example.com',
    clock,
  });

function parts(url: string) {
  const { searchParams } = new URL(url);
  return {
    expires: searchParams.get('expires')!,
    kid: searchParams.get('kid') ?? undefined,
    signature: searchParams.get('signature')!,
  };
}

it('gives an absolute URL that it accepts until it expires', async () => {
  const urls = newUrls();
  const expires = urls.expiry();
  const url = urls.sign(build, expires);
  const given = parts(url);
  expect(url).toMatch(
    /^https:\/\/updates\.example\.com\/api\/v1\/bundles\/42\/download\?expires=\d+&signature=[\w-]+$/,
  );
  expect(await urls.verify(build, given)).toBe(true);

  const before = clock.time;
  clock.time = expires - 1;
  expect(await urls.verify(build, given)).toBe(true);
  clock.time = expires;
  expect(await urls.verify(build, given)).toBe(false);
  clock.time = before;
});

it.each([1, 60, 1800])('lives for %d s, less at most a hundredth', (ttlSeconds) => {
  const life = newUrls(ttlSeconds).expiry() - clock.time;
  expect(life).toBeLessThanOrEqual(ttlSeconds * 1000);
  expect(life).toBeGreaterThan(ttlSeconds * 990);
});

it('rejects whatever it did not sign', async () => {
  const urls = newUrls();
  const given = parts(urls.sign(build, urls.expiry()));
  const { expires, signature } = given;
  expect(await urls.verify(build, given)).toBe(true);
  expect(await urls.verify({ ...build, buildId: 43 }, given)).toBe(false);
  expect(await urls.verify({ ...build, appId: 8 }, given)).toBe(false);
  expect(await urls.verify({ ...build, checksum: 'cd'.repeat(32) }, given)).toBe(false);
  const changed = `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`;
  for (const altered of [
    { expires: String(Number(expires) + 1) },
    { expires: `0${expires}` },
    { signature: changed },
    { signature: '' },
    ...['2', '0', '', '01', '1.0', ' 1', '1e0', '-1', '9'.repeat(30)].map((kid) => ({ kid })),
  ]) {
    expect([altered, await urls.verify(build, { ...given, ...altered })]).toEqual([altered, false]);
  }
  expect(await newUrls(1800, dataKeysOf(Buffer.alloc(32, 2))).verify(build, given)).toBe(false);
});

describe('with several versions of the key', () => {
  const keyOf = (version: number) => Buffer.alloc(32, version);
  const versions = (count: number) => Array.from({ length: count }, (_, index) => keyOf(index + 1));

  it('signs with the newest, which the URL names', async () => {
    const urls = newUrls(1800, dataKeysOf(...versions(2)));
    const url = urls.sign(build, urls.expiry());
    expect(url).toMatch(/\/download\?expires=\d+&kid=2&signature=[\w-]+$/);
    expect(await urls.verify(build, parts(url))).toBe(true);
  });

  it('accepts what was signed with any version that is held, under that version alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.nat(7), fc.nat(7), async (held, signer, named) => {
        const urls = newUrls(1800, dataKeysOf(...versions(held)));
        const signed = (signer % held) + 1;
        const given = parts(newUrls(1800, dataKeysOf(...versions(signed))).sign(build, urls.expiry()));
        expect(given.kid).toBe(signed === 1 ? undefined : String(signed));
        expect(await urls.verify(build, given)).toBe(true);
        const other = (named % held) + 1;
        expect(await urls.verify(build, { ...given, kid: String(other) })).toBe(other === signed);
      }),
    );
  });

  it('rejects a URL of a version that was dropped', async () => {
    const keys = dataKeysOf(...versions(2));
    const of = (version: number) => keys.held.filter((key) => key.version === version);
    const dropped = {
      ...keys,
      held: of(2),
      find: (version: number) => Promise.resolve(version === 2 ? keys.newest : undefined),
    };
    const [former, now] = [newUrls(1800, dataKeysOf(keyOf(1))), newUrls(1800, dropped)];
    expect(await newUrls(1800, keys).verify(build, parts(former.sign(build, former.expiry())))).toBe(true);
    expect(await now.verify(build, parts(former.sign(build, former.expiry())))).toBe(false);
    expect(await now.verify(build, parts(now.sign(build, now.expiry())))).toBe(true);
  });
});
