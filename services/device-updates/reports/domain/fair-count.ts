/** Devices of one address, whose installation ended. */
export interface OfAddress {
  readonly finished: number;
  readonly failed: number;
}

export interface FairCount extends OfAddress {
  readonly leftOut: number;
  /** Of the address that supplies the most devices, and of the one that supplies the most failures, as they count. */
  readonly mostFinished: number;
  readonly mostFailed: number;
}

const SHARE = 0.02;
const AT_LEAST = 3;

/**
 * Counts devices so that one address supplies at most 2% of those that count, or 3. Of an address that supplies more,
 * the failures count in proportion: which of its devices count can't depend on their outcomes.
 * @param others devices of addresses that supply fewer than each of these
 */
export function countFairly(
  addresses: readonly OfAddress[],
  others: OfAddress = { finished: 0, failed: 0 },
): FairCount {
  const all = addresses.reduce((sum, { finished }) => sum + finished, others.finished);
  // Each round lowers both until the share holds of what is left.
  let finished = all;
  let most = AT_LEAST;
  for (let before = Infinity; finished < before;) {
    before = finished;
    most = Math.max(AT_LEAST, Math.floor(SHARE * finished));
    finished = addresses.reduce((sum, of) => sum + Math.min(most, of.finished), others.finished);
  }
  const failures = addresses.map((of) => (of.finished <= most ? of.failed : (of.failed * most) / of.finished));
  return {
    finished,
    failed: Math.floor(failures.reduce((sum, failed) => sum + failed, others.failed) + 1e-9),
    leftOut: all - finished,
    mostFinished: Math.min(most, highest(addresses.map((of) => of.finished))),
    mostFailed: Math.max(0, Math.ceil(highest(failures) - 1e-9)),
  };
}

function highest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}
