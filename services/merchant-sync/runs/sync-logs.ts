import { Inject, Injectable } from '@nestjs/common';
import type { SyncLog } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore, type Rows, StateStore } from '@sluice/document-store';
import { type SyncLogRow, syncLogRows, syncLogsProjection, toSyncLog } from './sync-logs.projection';
import { type RunLeaseRow, runLeases } from './run-leases';

/** Logs as clients see them: the rows, and the heartbeat of the run that goes on. */
@Injectable()
export class SyncLogs {
  private readonly leases: Rows<RunLeaseRow>;

  constructor(
    private readonly documents: ReadStore,
    state: StateStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {
    this.leases = state.rows(runLeases);
  }

  async get(id: string): Promise<SyncLog | undefined> {
    const row = await this.projections.find(syncLogsProjection.name, () => this.rows().get(id));
    return row && this.told(row);
  }

  /** The latest first. */
  async page(offset: number, limit: number): Promise<{ items: SyncLog[]; total: number }> {
    const total = await this.rows().count();
    const rows = await this.rows().find({ sort: LATEST_FIRST, offset, limit });
    return { items: await Promise.all(rows.map((row) => this.told(row))), total };
  }

  /** The run that ended last; undefined before the first end. */
  async lastEnded(): Promise<SyncLog | undefined> {
    const [row] = await this.rows().find({ where: { completed_at: { gt: '' } }, sort: LATEST_FIRST, limit: 1 });
    return row && this.told(row);
  }

  /** The run over the whole catalogue that ended last. */
  async lastListing(): Promise<SyncLog | undefined> {
    const where = { completed_at: { gt: '' }, run_type: { in: ['full', 'incremental'] } };
    const [row] = await this.rows().find({ where, sort: LATEST_FIRST, limit: 1 });
    return row && this.told(row);
  }

  /** When the remote catalogue was last read to its end. */
  async catalogReadAt(): Promise<string | null> {
    const [row] = await this.rows().find({ where: { catalog_read_at: { gt: '' } }, sort: LATEST_FIRST, limit: 1 });
    return row?.catalog_read_at ?? null;
  }

  /** What the process that works on the run tells; undefined while none does. */
  lease(runId: string): Promise<RunLeaseRow | undefined> {
    return this.leases.get(runId);
  }

  /** Lets any process take the run at once: the holder finds out with its next renewal. */
  async forgetLease(runId: string): Promise<void> {
    await this.leases.delete(runId);
  }

  private async told(row: SyncLogRow): Promise<SyncLog> {
    const lease = row.status === 'running' ? await this.lease(row.id) : undefined;
    return toSyncLog(row, lease?.heartbeat_at ?? null);
  }

  private rows() {
    return this.documents.view(syncLogsProjection.name, syncLogRows);
  }
}

const LATEST_FIRST = [
  ['started_at', 'desc'],
  ['id', 'desc'],
] as const;
