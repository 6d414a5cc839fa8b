import fc from 'fast-check';
import { countFairly } from './fair-count';

const address = fc
  .nat(2_000)
  .chain((finished) => fc.record({ finished: fc.constant(finished), failed: fc.nat(finished) }));
const spread = (devices: number, failed: number) =>
  Array.from({ length: devices }, (_, index) => ({ finished: 1, failed: index < failed ? 1 : 0 }));

it('counts devices of many addresses as they are', () => {
  expect(countFairly(spread(200, 7))).toEqual({
    ...{ finished: 200, failed: 7, leftOut: 0, mostFinished: 1, mostFailed: 1 },
  });
  expect(countFairly([])).toEqual({ finished: 0, failed: 0, leftOut: 0, mostFinished: 0, mostFailed: 0 });
});

it('counts 3 devices of one address alone', () => {
  expect(countFairly([{ finished: 1_000, failed: 1_000 }])).toEqual({
    ...{ finished: 3, failed: 3, leftOut: 997, mostFinished: 3, mostFailed: 3 },
  });
});

it('counts 2% of one address among many', () => {
  expect(countFairly([...spread(980, 0), { finished: 1_000, failed: 1_000 }])).toMatchObject({
    ...{ finished: 1_000, failed: 20, leftOut: 980, mostFailed: 20 },
  });
});

it('leaves no address a larger share, and every device out or in', () => {
  fc.assert(
    fc.property(fc.array(address, { maxLength: 60 }), (addresses) => {
      const counts = countFairly(addresses);
      const { finished, failed, leftOut, mostFinished, mostFailed } = counts;
      expect(mostFinished).toBeLessThanOrEqual(Math.max(3, 0.02 * finished));
      expect(finished + leftOut).toBe(addresses.reduce((sum, of) => sum + of.finished, 0));
      expect(failed).toBeLessThanOrEqual(finished);
      expect(mostFailed).toBeLessThanOrEqual(mostFinished);
    }),
  );
});
