import type { PresignOptions } from '@sluice/object-store';
import type { ServedBuild } from '../serving/served-builds';
import { StoreAddresses } from './store-addresses';

const build = (objectKey: string) => ({ facts: { objectKey, version: '1.4.0' } }) as ServedBuild;

function addresses(ttlSeconds: number) {
  const signed: [string, PresignOptions][] = [];
  const clock = { time: 1_000_000_000, now: () => new Date(clock.time), monotonic: () => 0 };
  const presign = (key: string, options: PresignOptions) => {
    signed.push([key, options]);
    return Promise.resolve(`https://objects/${key}#${signed.length}`);
  };
  return { addresses: new StoreAddresses({ presign, ttlSeconds, clock }), signed, clock };
}

describe('addresses at the object store', () => {
  it('are signed once for each step and build', async () => {
    const { addresses: given, signed, clock } = addresses(1_800);
    const [one, other] = [build('bundles/1.zip'), build('bundles/2.zip')];
    const first = await given.of(one);
    clock.time += 5_000;
    expect(await given.of(one)).toBe(first);
    expect(await given.of(other)).not.toBe(first);
    clock.time += 18_000;
    expect(await given.of(one)).not.toBe(first);
    expect(signed.map(([key]) => key)).toEqual(['bundles/1.zip', 'bundles/2.zip', 'bundles/1.zip']);
    expect(signed[0]![1]).toMatchObject({
      contentType: 'application/zip',
      contentDisposition: 'attachment; filename="bundle-1.4.0.zip"',
    });
  });

  it.each([1, 60, 1_800, 604_000])('count for %d s from when they are given, and hardly longer', async (ttlSeconds) => {
    const { addresses: given, signed, clock } = addresses(ttlSeconds);
    const one = build('bundles/1.zip');
    for (let each = 0; each < 50; each += 1) {
      clock.time += 777;
      await given.of(one);
      const { from, ttlSeconds: signedFor } = signed.at(-1)![1];
      const left = (from.getTime() + signedFor * 1_000 - clock.time) / 1_000;
      expect(Number.isInteger(signedFor)).toBe(true);
      expect(left).toBeGreaterThanOrEqual(Math.min(ttlSeconds, 604_800 - Math.ceil(ttlSeconds / 100)));
      expect(left).toBeLessThanOrEqual(ttlSeconds + Math.ceil(ttlSeconds / 100));
    }
  });
});
