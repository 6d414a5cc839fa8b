import type { Clock } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';

/** Screens that show counts ask again every few seconds, and show a report within five. */
export const KEPT_MS = 1_500;
/** Counting takes at most a fifth of the time, however large the fleet is. */
const REST = 4;
/** A request waits this long for a recount. Then it gets the last count. */
export const PATIENCE_MS = 500;
/** A count that was due for longer is too old to be shown. */
export const MAX_OVERDUE_MS = 60_000;

/** How long a count is kept that was begun and ended at these times of the monotonic clock. */
function keptUntil(from: number, to: number): number {
  return to + Math.max(KEPT_MS, REST * (to - from));
}

interface Kept<T> {
  /** The last count that succeeded. */
  last: { readonly counted: T } | undefined;
  /** On the monotonic clock. From then on, a request causes a recount. */
  until: number;
  running: Promise<T> | undefined;
}

/**
 * Counts that many readers share: each is counted for one of them, and kept for a moment. It is counted once at a time,
 * and if that takes long, its readers get the last count meanwhile.
 */
export class KeptCounts<Key extends string | number, T extends object> {
  private readonly kept: LRUCache<Key, Kept<T>>;

  constructor(private readonly options: { readonly clock: Pick<Clock, 'monotonic'>; readonly max: number }) {
    this.kept = new LRUCache({ max: options.max });
  }

  /**
   * In the order of the keys.
   * @param count counts several keys, in their order
   * @param patienceMs how long to wait for a recount; Infinity: until it ends
   */
  async of(
    keys: readonly Key[],
    count: (keys: readonly Key[]) => Promise<readonly T[]>,
    patienceMs = PATIENCE_MS,
  ): Promise<T[]> {
    const now = this.options.clock.monotonic();
    const entries = new Map(keys.map((key) => [key, this.entry(key)]));
    const due = [...entries].filter(([, { running, until }]) => running === undefined && now >= until);
    // The first count of an app does not wait for the recount of a larger one.
    this.count(
      due.filter(([, { last }]) => last === undefined),
      { count, now },
    );
    this.count(
      due.filter(([, { last }]) => last !== undefined),
      { count, now },
    );
    const counts = await Promise.all([...entries.values()].map((kept) => countOf(kept, { now, patienceMs })));
    const found = new Map([...entries.keys()].map((key, at) => [key, counts[at]]));
    return keys.flatMap((key) => found.get(key) ?? []);
  }

  private entry(key: Key): Kept<T> {
    const kept = this.kept.get(key) ?? { last: undefined, until: -Infinity, running: undefined };
    this.kept.set(key, kept);
    return kept;
  }

  private count(
    due: readonly (readonly [Key, Kept<T>])[],
    { count, now: from }: { readonly count: (keys: readonly Key[]) => Promise<readonly T[]>; readonly now: number },
  ): void {
    if (due.length === 0) return;
    const all = count(due.map(([key]) => key));
    for (const [at, [key, kept]] of due.entries()) {
      const running = all.then((counts) => {
        const counted = counts[at];
        if (counted === undefined) throw new Error(`${key} was not counted.`);
        return counted;
      });
      kept.running = running;
      running.then(
        (counted) => {
          const until = keptUntil(from, this.options.clock.monotonic());
          Object.assign(kept, { last: { counted }, until, running: undefined });
        },
        () => (kept.running = undefined),
      );
    }
  }
}

async function countOf<T>(
  { last, running, until }: Kept<T>,
  { now, patienceMs }: { readonly now: number; readonly patienceMs: number },
): Promise<T | undefined> {
  if (running === undefined) return last?.counted;
  if (last === undefined || now - until > MAX_OVERDUE_MS || patienceMs === Infinity) return running;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(last.counted), patienceMs);
  });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}
