import { type Clock, LostLeaseError } from '@sluice/kernel';
import { holdLease, type Lease } from './lease';
import type { Collection, DocumentStore, Row, Rows } from './port';
import { Sightings } from './sightings';

export interface StoredLeasesOptions<R extends Row> {
  readonly store: Pick<DocumentStore, 'rows'>;
  /** A lease is known by the id of its row. */
  readonly collection: Collection<R>;
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export interface StoredLease extends Lease {
  /** Another process can take it immediately. Never rejects. */
  release(): Promise<void>;
}

/**
 * Leases that processes of an installation compete for. A lease that was not renewed for its whole length, as seen
 * from this process, may be taken by it: a new process waits one full length. Nothing may depend on a single holder
 * for its safety.
 */
export class StoredLeases<R extends Row> {
  protected readonly rows: Rows<R>;
  private readonly sightings: Sightings;

  constructor(private readonly options: StoredLeasesOptions<R>) {
    this.rows = options.store.rows(options.collection);
    this.sightings = new Sightings(options.clock);
  }

  /**
   * Undefined: another process holds it, or was faster.
   * @param row written now and with each renewal
   * @throws when the store does not answer
   */
  async take(row: () => R): Promise<StoredLease | undefined> {
    const { leaseMs, clock } = this.options;
    const { id } = row();
    const found = await this.rows.getVersioned(id);
    if (found !== undefined && this.sightings.ageMs(id, found.version) < leaseMs) return undefined;
    let version = await this.rows.put(row(), found?.version ?? 'absent');
    if (version === undefined) return undefined;
    const lease = holdLease({
      leaseMs,
      clock,
      renew: async () => {
        const renewed = await this.rows.put(row(), version);
        if (renewed === undefined) throw new LostLeaseError('Another process has taken the lease.');
        version = renewed;
      },
    });
    return {
      ...lease,
      release: async () => {
        await lease.stop();
        await this.rows.delete(id, version).catch(() => false);
      },
    };
  }
}
