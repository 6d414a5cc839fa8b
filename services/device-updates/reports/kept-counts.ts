import type { Clock } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';

/** Screens that show counts ask again every few seconds, and show a report within five. */
export const KEPT_MS = 1_500;
/** Counting takes at most a fifth of the time, however large the fleet is. */
const REST = 4;

/** How long a count is kept that was begun and ended at these times of the monotonic clock. */
export function keptUntil(from: number, to: number): number {
  return to + Math.max(KEPT_MS, REST * (to - from));
}

interface Kept<T> {
  readonly counted: Promise<T>;
  /** On the monotonic clock; infinite while it is counted. */
  until: number;
}

/** Counts that many readers share: each is counted by one of them, and kept for a moment. */
export class KeptCounts<T> {
  private readonly kept: LRUCache<string, Kept<T>>;

  constructor(private readonly options: { readonly clock: Pick<Clock, 'monotonic'>; readonly max: number }) {
    this.kept = new LRUCache({ max: options.max });
  }

  of(key: string, count: () => Promise<T>): Promise<T> {
    const { clock } = this.options;
    const from = clock.monotonic();
    const before = this.kept.get(key);
    if (before !== undefined && from < before.until) return before.counted;
    const now: Kept<T> = { counted: count(), until: Infinity };
    this.kept.set(key, now);
    now.counted.then(
      () => {
        now.until = keptUntil(from, clock.monotonic());
      },
      () => {
        if (this.kept.get(key) === now) this.kept.delete(key);
      },
    );
    return now.counted;
  }
}
