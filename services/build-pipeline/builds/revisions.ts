import type { Revision } from '@sluice/event-store';

/** More bits than any stream has events. */
const LEVELS = 31;

/*
 * Finds, by equality, what stood at a revision: cut the revisions in halves, those again, and so on, and
 * keep each span under the first cut that lies in it. A revision then lies in spans of a few cuts alone:
 * one for each time that something can be halved, however many spans there are.
 */

/** The revision under which the span from `from` to `to`, exclusive, is kept. */
export function forkOf(from: Revision, to: Revision): Revision {
  const last = to - 1;
  const differing = 31 - Math.clz32(from ^ last);
  return from === last ? from : (last >>> differing) << differing;
}

/** The revisions under which every span is kept that holds this one. Not every span that they keep does. */
export function forksAround(revision: Revision): Revision[] {
  const forks = [revision];
  for (let level = 0; level < LEVELS; level += 1) {
    const middle = ((revision >>> level) | 1) * 2 ** level;
    if (middle < 2 ** LEVELS) forks.push(middle);
  }
  return [...new Set(forks)];
}
