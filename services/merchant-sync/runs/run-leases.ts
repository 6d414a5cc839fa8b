import type { Collection, Row, Rows, RowVersion, StateStore } from '@sluice/document-store';
import { type Clock, LostLeaseError } from '@sluice/kernel';

/** Who works on a run and that he lives; by run id. Neither a fact of the past nor a view: it goes with the run. */
export interface RunLeaseRow extends Row {
  readonly holder: string;
  /** ISO 8601, for people: others count on their own clock from each change that they see. */
  readonly heartbeat_at: string;
  readonly items_read: number;
  readonly items_expected: number;
}

/** In the state store. */
export const runLeases: Collection<RunLeaseRow> = { name: 'syncRunLeases', indexes: [] };

interface Sighting {
  readonly version: RowVersion;
  /** On this process's monotonic clock. */
  readonly at: number;
}

/**
 * The leases on sync runs. One that was not renewed for its whole length, as seen from this process, may be
 * taken by it: a fresh process waits one full lease. Safety rests on the run's own stream.
 */
export class RunLeases {
  private readonly rows: Rows<RunLeaseRow>;
  private readonly sightings = new Map<string, Sighting>();

  constructor(
    state: StateStore,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {
    this.rows = state.rows(runLeases);
  }

  get(runId: string): Promise<RunLeaseRow | undefined> {
    return this.rows.get(runId);
  }

  /** Whoever held it finds out with his next renewal. */
  async forget(runId: string): Promise<void> {
    await this.rows.delete(runId);
  }

  /** Undefined: another holds it, or was faster. */
  async take(runId: string, holder: string, itemsExpected: number): Promise<HeldLease | undefined> {
    const found = await this.rows.getVersioned(runId);
    if (found !== undefined && !this.isOverdue(runId, found.version)) return undefined;
    const row = { id: runId, holder, heartbeat_at: this.now(), items_read: 0, items_expected: itemsExpected };
    const version = await this.rows.put(row, found?.version ?? 'absent');
    if (version === undefined) return undefined;
    this.sightings.delete(runId);
    return new HeldLease(this.rows, row, version, () => this.now());
  }

  private isOverdue(runId: string, version: RowVersion): boolean {
    const now = this.clock.monotonic();
    const before = this.sightings.get(runId);
    if (before?.version === version) return now - before.at >= this.leaseMs;
    this.sightings.set(runId, { version, at: now });
    return false;
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

/** A lease that this process holds. */
export class HeldLease {
  /** Written with the next renewal. */
  itemsRead = 0;

  constructor(
    private readonly rows: Rows<RunLeaseRow>,
    private readonly row: RunLeaseRow,
    private version: RowVersion,
    private readonly now: () => string,
  ) {}

  /** @throws LostLeaseError once another has taken it */
  async renew(): Promise<void> {
    const row = { ...this.row, heartbeat_at: this.now(), items_read: this.itemsRead };
    const version = await this.rows.put(row, this.version);
    if (version === undefined) throw new LostLeaseError('Another process has taken the lease.');
    this.version = version;
  }

  /** Lets another take the run at once, or forgets a run that has ended. */
  async release(): Promise<void> {
    await this.rows.delete(this.row.id, this.version);
  }
}
