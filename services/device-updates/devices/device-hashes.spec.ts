import type { DataKeys } from '@sluice/vault';
import { DeviceHashes } from './device-hashes';

const NOW = 1_772_366_400_000;
const clock = { now: () => new Date(NOW), monotonic: () => 0 };

/** @param madeAt of each version, the newest first */
function keysOf(...madeAt: readonly number[]): DataKeys {
  const held = madeAt.map((at, index) => {
    const version = madeAt.length - index;
    return { version, key: Buffer.alloc(32, version), madeAt: at };
  });
  return { held, newest: held[0]!, find: () => Promise.resolve(undefined), refresh: () => Promise.resolve() };
}

const hashed = (keys: DataKeys, appId = 1, device = 'a') => new DeviceHashes({ keys, clock }).of(appId, device);

it('differs by app and by device, and holds neither', () => {
  const all = [hashed(keysOf(0)), hashed(keysOf(0), 2), hashed(keysOf(0), 1, 'b')].map(({ hash }) => hash);
  expect(new Set(all).size).toBe(3);
  for (const hash of all) expect(hash).toMatch(/^[\w-]{22}$/);
  expect(hashed(keysOf(0)).otherHashes).toEqual([]);
});

it('is made with the newest version, and looked for under each that is held', () => {
  const first = hashed(keysOf(0)).hash;
  const second = hashed(keysOf(NOW - 200_000, 0));
  expect(second.hash).not.toBe(first);
  expect(second.otherHashes).toEqual([first]);
  const third = hashed(keysOf(NOW - 120_000, NOW - 200_000, 0));
  expect(new Set([third.hash, second.hash, first]).size).toBe(3);
  expect(third.otherHashes).toEqual([second.hash, first]);
});

it('is made with the former version until every process has read the new one, which is looked for already', () => {
  const [first, second] = [hashed(keysOf(0)).hash, hashed(keysOf(NOW - 200_000, 0)).hash];
  expect(hashed(keysOf(NOW - 119_999, 0))).toEqual({ hash: first, otherHashes: [second] });
  expect(hashed(keysOf(NOW + 60_000, 0))).toEqual({ hash: first, otherHashes: [second] });
});

it('follows the versions that are held', async () => {
  const keys = { ...keysOf(0) } as { -readonly [Member in keyof DataKeys]: DataKeys[Member] };
  const hashes = new DeviceHashes({ keys, clock });
  const { hash: first } = hashes.of(1, 'a');
  // What the store holds by now.
  keys.refresh = () => {
    keys.held = keysOf(NOW - 200_000, 0).held;
    return Promise.resolve();
  };
  expect(hashes.of(1, 'a')).toEqual({ hash: first, otherHashes: [] });
  const all = await hashes.all(1, 'a');
  expect(all).toHaveLength(2);
  expect(all[1]).toBe(first);
  keys.held = keys.held.slice(0, 1);
  expect(hashes.of(1, 'a')).toEqual({ hash: all[0], otherHashes: [] });
});
