/**
 * How often an outcome happens at least, from the cases seen so far. It may be looked at after every case: the chance
 * that it is ever wrong is at most `alpha`, however often and whenever it is looked at (docs/adr/0018).
 */

/** Of `cases` devices, `failed`. */
export interface Seen {
  readonly failed: number;
  readonly cases: number;
}

/** Factors by which the odds of a failure may exceed those of the limit: each is an alternative that is weighed. */
const FACTORS = [1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128];

/**
 * Natural logarithm of the evidence that failures are more frequent than `limit`: the mean of likelihood ratios, each
 * of which is expected to be at most 1 as long as they are not. It falls as the limit rises.
 */
export function evidenceAbove(limit: number, { failed, cases }: Seen): number {
  const ratios = FACTORS.map((factor) => failed * Math.log(factor) - cases * Math.log1p((factor - 1) * limit));
  const largest = Math.max(...ratios);
  const sum = ratios.reduce((total, ratio) => total + Math.exp(ratio - largest), 0);
  return largest + Math.log(sum / FACTORS.length);
}

/** Whether failures are more frequent than `limit`: wrong at most once in 1 / `alpha` rollouts. */
export function isAbove(limit: number, seen: Seen, alpha: number): boolean {
  return evidenceAbove(limit, seen) >= -Math.log(alpha);
}

const STEPS = 40;

/** The highest limit that failures are more frequent than; 0 where there is none. */
export function lowerBound(seen: Seen, alpha: number): number {
  if (seen.failed === 0) return 0;
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (isAbove(middle, seen, alpha)) low = middle;
    else high = middle;
  }
  return low;
}

/** How many of so many devices have to fail before the limit counts as exceeded. */
export function failuresToExceed(limit: number, cases: number, alpha: number): number {
  let [low, high] = [0, cases + 1];
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (isAbove(limit, { failed: middle, cases }, alpha)) high = middle;
    else low = middle;
  }
  return high;
}
