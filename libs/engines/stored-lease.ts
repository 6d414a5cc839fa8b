import type { Collection, Row, Rows, RowVersion, StateStore } from '@sluice/document-store';
import { LostLeaseError, newUlid, type Clock } from '@sluice/kernel';
import { holdLease } from './lease';

interface LeaseRow extends Row {
  readonly holder: string;
  /** ISO 8601, for people: others count on their own clock from each renewal that they see. */
  readonly renewedAt: string;
}

/** In the state store; a lease is known by its name. */
const LEASES: Collection<LeaseRow> = { name: 'leases', indexes: [] };

export interface StoredLeaseOptions {
  /** The state store. */
  readonly state: StateStore;
  readonly name: string;
  readonly leaseMs: number;
  readonly clock: Clock;
}

export interface HeldStoredLease {
  /** Aborted as soon as another process may hold the lease. */
  readonly signal: AbortSignal;
  /** Another process can take it immediately. Never rejects. */
  release(): Promise<void>;
}

/**
 * One lease that processes of an installation compete for. A lease that was not renewed for its whole length, as
 * seen from this process, may be taken by it: a new process waits one full length. Nothing may depend on a single
 * holder for its safety.
 */
export class StoredLease {
  private readonly rows: Rows<LeaseRow>;
  private readonly holder = newUlid();
  /** The version that was seen last, and since when on this process's monotonic clock. */
  private sighting: { readonly version: RowVersion; readonly at: number } | undefined;

  constructor(private readonly options: StoredLeaseOptions) {
    this.rows = options.state.rows(LEASES);
  }

  /** Undefined: another process holds it, or was faster. @throws when the store does not answer */
  async take(): Promise<HeldStoredLease | undefined> {
    const { name, leaseMs, clock } = this.options;
    const found = await this.rows.getVersioned(name);
    if (found !== undefined && !this.isOverdue(found.version)) return undefined;
    let version = await this.rows.put(this.row(), found?.version ?? 'absent');
    if (version === undefined) return undefined;
    this.sighting = undefined;
    const lease = holdLease({
      leaseMs,
      clock,
      renew: async () => {
        const renewed = await this.rows.put(this.row(), version);
        if (renewed === undefined) throw new LostLeaseError('Another process has taken the lease.');
        version = renewed;
      },
      isLost: (error) => error instanceof LostLeaseError,
    });
    return {
      signal: lease.signal,
      release: async () => {
        await lease.stop();
        await this.rows.delete(name, version).catch(() => false);
      },
    };
  }

  private isOverdue(version: RowVersion): boolean {
    const now = this.options.clock.monotonic();
    if (this.sighting?.version === version) return now - this.sighting.at >= this.options.leaseMs;
    this.sighting = { version, at: now };
    return false;
  }

  private row(): LeaseRow {
    const { name, clock } = this.options;
    return { id: name, holder: this.holder, renewedAt: clock.now().toISOString() };
  }
}
