import { DownloadUrls } from './download-urls';

const build = { buildId: 42, appId: 7, checksum: 'ab'.repeat(32) };
const clock = { time: 1_772_366_400_123, now: () => new Date(clock.time), monotonic: () => 0 };

const newUrls = (ttlSeconds = 1800, key = Buffer.alloc(32, 1)) =>
  new DownloadUrls({ key, ttlSeconds, publicUrl: () => 'https://updates.example.com', clock });

function parts(url: string) {
  const { searchParams } = new URL(url);
  return { expires: searchParams.get('expires')!, signature: searchParams.get('signature')! };
}

it('gives an absolute URL that it accepts until it expires', () => {
  const urls = newUrls();
  const expires = urls.expiry();
  const url = urls.sign(build, expires);
  const given = parts(url);
  expect(url).toMatch(
    /^https:\/\/updates\.example\.com\/api\/v1\/bundles\/42\/download\?expires=\d+&signature=[\w-]+$/,
  );
  expect(urls.verify(build, given.expires, given.signature)).toBe(true);

  const before = clock.time;
  clock.time = expires - 1;
  expect(urls.verify(build, given.expires, given.signature)).toBe(true);
  clock.time = expires;
  expect(urls.verify(build, given.expires, given.signature)).toBe(false);
  clock.time = before;
});

it.each([1, 60, 1800])('lives for %d s, less at most a hundredth', (ttlSeconds) => {
  const life = newUrls(ttlSeconds).expiry() - clock.time;
  expect(life).toBeLessThanOrEqual(ttlSeconds * 1000);
  expect(life).toBeGreaterThan(ttlSeconds * 990);
});

it('refuses whatever it did not sign', () => {
  const urls = newUrls();
  const { expires, signature } = parts(urls.sign(build, urls.expiry()));
  expect(urls.verify({ ...build, buildId: 43 }, expires, signature)).toBe(false);
  expect(urls.verify({ ...build, appId: 8 }, expires, signature)).toBe(false);
  expect(urls.verify({ ...build, checksum: 'cd'.repeat(32) }, expires, signature)).toBe(false);
  expect(urls.verify(build, String(Number(expires) + 1), signature)).toBe(false);
  expect(urls.verify(build, `0${expires}`, signature)).toBe(false);
  expect(urls.verify(build, expires, `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`)).toBe(false);
  expect(urls.verify(build, expires, '')).toBe(false);
  expect(newUrls(1800, Buffer.alloc(32, 2)).verify(build, expires, signature)).toBe(false);
});
