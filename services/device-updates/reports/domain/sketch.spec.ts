import { createHash } from 'node:crypto';
import { KeyedHash, type Seeds } from '@sluice/kernel';
import { Sketch } from './sketch';

const SEEDS: Seeds = [0x1b2c3d4e, 0x5f6a7b8c];
const device = (n: number): string => `7f9c24e8-${String(n).padStart(9, '0')}`;

function sketchOf(from: number, to: number, seeds = SEEDS): Sketch {
  const sketch = Sketch.empty();
  const hash = new KeyedHash(seeds);
  for (let n = from; n < to; n += 1) sketch.add(device(n), hash);
  return sketch;
}

describe('a sketch', () => {
  it.each([1, 100, 5_000])('estimates %i devices with a standard error of 2%% at most', (devices) => {
    const errors = Array.from({ length: 16 }, (_, n) => sketchOf(0, devices, [n, ~n]).estimate() / devices - 1);
    const squares = errors.reduce((sum, error) => sum + error ** 2, 0);
    expect(Math.sqrt(squares / errors.length)).toBeLessThanOrEqual(0.02);
  });

  it('is empty before the first', () => {
    expect(Sketch.empty().estimate()).toBe(0);
  });

  it('counts a device once, however often it is added', () => {
    const sketch = sketchOf(0, 1_000);
    const before = sketch.text();
    const hash = new KeyedHash(SEEDS);
    for (let n = 0; n < 1_000; n += 1) expect(sketch.add(device(n), hash)).toBe(false);
    expect(sketch.text()).toBe(before);
  });

  it('merges sketches of any parts, in any order and repeatedly, to that of all devices', () => {
    const all = sketchOf(0, 3_000).text();
    const parts = [sketchOf(0, 1_500), sketchOf(1_000, 2_500), sketchOf(2_400, 3_000)];
    for (const order of [
      [0, 1, 2],
      [2, 0, 1, 1, 0],
    ]) {
      const merged = Sketch.empty();
      const changed = order.map((at) => merged.merge(parts[at]!));
      expect(merged.text()).toBe(all);
      expect(changed).toEqual([true, true, true, false, false].slice(0, order.length));
    }
  });

  it('is text of a fixed size, from which it is read back', () => {
    const sketch = sketchOf(0, 20_000);
    expect(sketch.text()).toHaveLength(4_096);
    expect(sketch.text()).toMatch(/^[0-Q]+$/);
    expect(Sketch.parse(sketch.text()).estimate()).toBe(sketch.estimate());
    expect(Sketch.parse('').estimate()).toBe(0);
  });

  it('adds a device as sketches that are stored already did', () => {
    const text = sketchOf(0, 1_000).text();
    expect(createHash('sha256').update(text).digest('hex')).toMatch(/^ff03711affd8d47d/);
  });

  it('places devices by seeds that they do not know', () => {
    expect(sketchOf(0, 1_000, [1, 2]).text()).not.toBe(sketchOf(0, 1_000).text());
  });
});
