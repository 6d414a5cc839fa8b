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

/** Counts of apps that many readers share: each is counted for one of them, and kept for a moment. */
export class KeptCounts<T extends object> {
  private readonly kept: LRUCache<number, Kept<T>>;

  constructor(private readonly options: { readonly clock: Pick<Clock, 'monotonic'>; readonly max: number }) {
    this.kept = new LRUCache({ max: options.max });
  }

  /** In the order of the apps. @param count counts the ones that are not kept by one call, in their order */
  of(apps: readonly number[], count: (apps: readonly number[]) => Promise<readonly T[]>): Promise<T[]> {
    const { clock } = this.options;
    const from = clock.monotonic();
    const known = new Map<number, Promise<T>>();
    for (const app of apps) {
      const kept = this.kept.get(app);
      if (kept !== undefined && from < kept.until) known.set(app, kept.counted);
    }
    const missing = [...new Set(apps)].filter((app) => !known.has(app));
    if (missing.length > 0) {
      const all = count(missing);
      for (const [at, app] of missing.entries()) known.set(app, this.keep(app, all, at, from));
    }
    return Promise.all(apps.flatMap((app) => known.get(app) ?? []));
  }

  private keep(app: number, all: Promise<readonly T[]>, at: number, from: number): Promise<T> {
    const counted = all.then((counts) => {
      const found = counts[at];
      if (found === undefined) throw new Error(`App ${app} was not counted.`);
      return found;
    });
    const kept: Kept<T> = { counted, until: Infinity };
    this.kept.set(app, kept);
    counted.then(
      () => (kept.until = keptUntil(from, this.options.clock.monotonic())),
      () => this.kept.get(app) === kept && this.kept.delete(app),
    );
    return counted;
  }
}
