import fc from 'fast-check';
import { parseVersion } from './version';
import { isEmptyRange, parseRange, rangeCovers, rangesOverlap } from './version-range';

const version = fc
  .tuple(fc.nat(3), fc.nat(2), fc.nat(2), fc.constantFrom('', '', '-beta'))
  .map(([a, b, c, tail]) => `${a}.${b}.${c}${tail}`);
const comparator = fc
  .tuple(fc.constantFrom('>=', '>', '<', '<=', '=', '^', '~', ''), version)
  .map((parts) => parts.join(''));
const range = fc
  .array(
    fc.array(comparator, { minLength: 1, maxLength: 2 }).map((all) => all.join(' ')),
    { minLength: 1, maxLength: 2 },
  )
  .map((sets) => sets.join(' || '));

describe('a range of versions', () => {
  it.each([
    ['>=2.1', '2.0.9', '2.1.0', '2.1.0-beta'],
    ['>=2 <3', '1.9.9', '2.0.0', '2.9.0-beta'],
    ['^2.1.0 || >=4.0.0', '3.0.0', '4.0.0', '2.2.0'],
  ])('%s: not %s; the next one is %s; %s is in it', (text, outside, next, inside) => {
    const { includes, lowestAbove } = parseRange(text)!;
    expect(includes(parseVersion(outside)!)).toBe(false);
    expect(lowestAbove(parseVersion(outside)!)?.version).toBe(next);
    expect(includes(parseVersion(inside)!)).toBe(true);
  });

  it('has no version above its upper bound', () => {
    expect(parseRange('<3')!.lowestAbove(parseVersion('3.1')!)).toBeUndefined();
  });

  it.each(['', ' ', 'newest', '>=', '>=1.0.0.0.0', '1'.repeat(101)])('is not %j', (text) => {
    expect(parseRange(text)).toBeUndefined();
    expect(isEmptyRange(text)).toBe(false);
  });

  it.each(['>=3 <2', '<0.0.0', '>2.0.0 <2.0.1', '1.0.0 2.0.0'])('without any version is found: %s', (text) => {
    expect(isEmptyRange(text)).toBe(true);
  });

  it('is the same in comparators, and distinguishes versions by its bounds alone', () => {
    fc.assert(
      fc.property(range, version, version, (text, left, right) => {
        const parsed = parseRange(text);
        fc.pre(parsed !== undefined && parsed.canonical.length <= 100);
        const [one, other] = [parseVersion(left)!, parseVersion(right)!];
        expect(parseRange(parsed.canonical)!.includes(one)).toBe(parsed.includes(one));
        const places = [one, other].map((each) => parsed.bounds.map((bound) => each.compare(bound)).join());
        if (places[0] === places[1]) expect(parsed.includes(one)).toBe(parsed.includes(other));
        const next = parsed.lowestAbove(one);
        if (next === undefined) return;
        expect(next.compare(one)).toBeGreaterThan(0);
        expect(parsed.includes(next)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('covers and overlaps others as their versions do', () => {
    fc.assert(
      fc.property(range, range, version, (one, other, text) => {
        const found = parseVersion(text)!;
        const [inOne, inOther] = [one, other].map((each) => parseRange(each)!.includes(found));
        if (inOther === true && rangeCovers(one, other)) expect(inOne).toBe(true);
        if (inOne === true && inOther === true) expect(rangesOverlap(one, other)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
