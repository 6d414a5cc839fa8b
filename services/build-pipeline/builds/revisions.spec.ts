import fc from 'fast-check';
import { forkOf, forksAround } from './revisions';

const revision = fc.oneof(fc.nat(40), fc.nat(2 ** 31 - 2));
const span = fc
  .tuple(revision, fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })))
  .map(([from, length]) => ({ from, to: Math.min(from + length, 2 ** 31 - 1) }));

describe('the revision under which a span is kept', () => {
  it('lies in the span, and is among those around every revision of it', () => {
    fc.assert(
      fc.property(span, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), ({ from, to }, share) => {
        const fork = forkOf(from, to);
        expect(fork).toBeGreaterThanOrEqual(from);
        expect(fork).toBeLessThan(to);
        expect(forksAround(from + Math.floor(share * (to - from)))).toContain(fork);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is one of a few, however many revisions there are', () => {
    fc.assert(fc.property(revision, (at) => forksAround(at).length <= 32));
  });
});
