import type { Clock } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import type { RowVersion } from './port';

const REMEMBERED = 10_000;

/**
 * For how long rows have kept a version, as seen from this process: counted on its own monotonic clock from the first
 * look, so that no other clock matters.
 */
export class Sightings {
  private readonly seen = new LRUCache<string, { readonly version: RowVersion; readonly at: number }>({
    max: REMEMBERED,
  });

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Milliseconds; 0 at the first look and whenever the version is another one than at the last. */
  ageMs(id: string, version: RowVersion): number {
    const now = this.clock.monotonic();
    const before = this.seen.get(id);
    if (before?.version === version) return now - before.at;
    this.seen.set(id, { version, at: now });
    return 0;
  }
}
