import fc from 'fast-check';
import { evidenceAbove, failuresToExceed, isAbove, lowerBound } from './evidence';

const ALPHA = 0.0005;
/** `SIMULATED_RUNS=10000` prints the numbers of docs/adr/0018-gates-by-evidence.md. */
const RUNS = Number(process.env['SIMULATED_RUNS'] ?? 2_000);

const rate = fc.double({ min: 0.001, max: 0.5, noNaN: true });
const seen = fc.nat(5_000).chain((cases) => fc.record({ failed: fc.nat(cases), cases: fc.constant(cases) }));

describe('the evidence', () => {
  it('is none without a device', () => {
    expect(evidenceAbove(0.02, { failed: 0, cases: 0 })).toBeCloseTo(0);
    expect(lowerBound({ failed: 0, cases: 0 }, ALPHA)).toBe(0);
  });

  it('is expected to be at most 1 while failures are not more frequent than the limit', () => {
    fc.assert(
      fc.property(
        rate,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 40 }),
        (limit, part, cases) => {
          const expected = Array.from({ length: cases + 1 }, (_, failed) => {
            const chance = Math.exp(logBinomial(cases, failed, limit * part));
            return chance * Math.exp(evidenceAbove(limit, { failed, cases }));
          });
          expect(expected.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(1 + 1e-6);
        },
      ),
    );
  });

  it('rises with each failure, and falls with each success and with the limit', () => {
    fc.assert(
      fc.property(rate, seen, (limit, { failed, cases }) => {
        const now = evidenceAbove(limit, { failed, cases });
        expect(evidenceAbove(limit, { failed: failed + 1, cases: cases + 1 })).toBeGreaterThan(now);
        expect(evidenceAbove(limit, { failed, cases: cases + 1 })).toBeLessThan(now);
        if (cases > 0) expect(evidenceAbove(limit * 1.1, { failed, cases })).toBeLessThan(now);
      }),
    );
  });
});

describe('the lower bound', () => {
  it('exceeds the limit exactly when the failures do', () => {
    fc.assert(
      fc.property(rate, seen, (limit, of) => {
        const bound = lowerBound(of, ALPHA);
        fc.pre(Math.abs(bound - limit) > 1e-9);
        expect(bound > limit).toBe(isAbove(limit, of, ALPHA));
      }),
    );
  });

  it('is below the estimate', () => {
    fc.assert(
      fc.property(seen, ({ failed, cases }) => {
        expect(lowerBound({ failed, cases }, ALPHA)).toBeLessThanOrEqual(cases === 0 ? 0 : failed / cases);
      }),
    );
  });

  it('is exceeded from a number of failures on', () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 5_000 }), (limit, cases) => {
        const failed = failuresToExceed(limit, cases, ALPHA);
        if (failed <= cases) expect(isAbove(limit, { failed, cases }, ALPHA)).toBe(true);
        expect(isAbove(limit, { failed: failed - 1, cases }, ALPHA)).toBe(false);
      }),
    );
  });
});

/** Each looked at after every device. */
describe('simulated rollouts', () => {
  it('stop falsely in at most one of a thousand at the limit', () => {
    const stops = stopsOf(0.02, 0.02, 500);
    expect(stops.length / RUNS).toBeLessThanOrEqual(0.001);
  });

  it('stop after few devices where 30% fail', () => {
    const stops = stopsOf(0.3, 0.02, 300);
    expect(stops).toHaveLength(RUNS);
    expect(stops[Math.floor(RUNS * 0.5)]).toBeLessThanOrEqual(30);
    expect(stops[Math.floor(RUNS * 0.999)]).toBeLessThanOrEqual(150);
  });

  it('never stop at a quarter of the limit', () => {
    expect(stopsOf(0.005, 0.02, 500).length).toBeLessThanOrEqual(1);
  });
});

/** After how many devices the runs stopped that did, in ascending order. */
function stopsOf(fails: number, limit: number, devices: number): number[] {
  const enough = Array.from({ length: devices }, (_, index) => failuresToExceed(limit, index + 1, ALPHA));
  const random = mulberry32(20_261_126);
  const stops: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    let failed = 0;
    for (let device = 0; device < devices; device += 1) {
      if (random() < fails) failed += 1;
      if (failed < enough[device]!) continue;
      stops.push(device + 1);
      break;
    }
  }
  stops.sort((one, other) => one - other);
  if (process.env['SIMULATED_RUNS'] !== undefined) {
    const at = (share: number) => stops[Math.min(stops.length - 1, Math.floor(stops.length * share))];
    process.stdout.write(
      `fails ${fails}, limit ${limit}: ${stops.length} of ${RUNS} stop; median ${at(0.5)}, 99% ${at(0.99)}, 99.9% ${at(0.999)}, longest ${stops.at(-1)}\n`,
    );
  }
  return stops;
}

// Within a context of Jest, a global is slow to reach.
const { imul } = Math;

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function logBinomial(cases: number, failed: number, chance: number): number {
  let log = 0;
  for (let each = 1; each <= failed; each += 1) log += Math.log(cases - failed + each) - Math.log(each);
  if (failed > 0) log += failed * Math.log(chance);
  return failed === cases ? log : log + (cases - failed) * Math.log1p(-chance);
}
