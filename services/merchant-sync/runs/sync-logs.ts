import { Inject, Injectable } from '@nestjs/common';
import { getSyncLog, getSyncStatus, listSyncLogs, type RequestOf, type SyncLog } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { findPage, ReadStore, type Rows, StateStore, type Where } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import { HandlesQuery } from '@sluice/messaging';
import { SavedSettings } from '../settings/saved-settings';
import { LATEST_FIRST, type SyncLogRow, syncLogRows, syncLogsProjection, toSyncLog } from './sync-logs.projection';
import { type RunLeaseRow, runLeases } from './run-leases';

/** Logs as clients see them: the rows, and the heartbeat of the current run. */
@Injectable()
export class SyncLogs {
  private readonly leases: Rows<RunLeaseRow>;

  constructor(
    private readonly documents: ReadStore,
    state: StateStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly saved: SavedSettings,
  ) {
    this.leases = state.rows(runLeases);
  }

  @HandlesQuery(getSyncLog)
  async get({ id }: RequestOf<typeof getSyncLog>): Promise<SyncLog> {
    await this.saved.ofWorkingModule();
    const row = await this.find(id);
    if (row === undefined) throw new DomainError('NOT_FOUND', 'There is no log with this id, or it was pruned.');
    return this.told(row);
  }

  /** The latest first. */
  @HandlesQuery(listSyncLogs)
  async list(page: RequestOf<typeof listSyncLogs>) {
    await this.saved.ofWorkingModule();
    const { rows, total } = await findPage(this.rows(), { sort: LATEST_FIRST, ...page });
    return { items: await Promise.all(rows.map((row) => this.told(row))), total };
  }

  @HandlesQuery(getSyncStatus)
  async status() {
    const { current } = (await this.saved.ofWorkingModule()).runs;
    if (current === null) return { running: false, progress: null };
    const [log, lease] = await Promise.all([this.find(current.runId), this.lease(current.runId)]);
    return {
      running: true,
      progress: {
        log_id: current.runId,
        run_type: current.runType,
        trigger: current.trigger,
        started_at: current.startedAt,
        heartbeat_at: lease?.heartbeat_at ?? null,
        items_read: lease?.items_read ?? 0,
        items_expected: lease?.items_expected ?? 0,
        items_processed: log?.items_processed ?? 0,
        items_failed: log?.items_failed ?? 0,
        items_deleted: log?.items_deleted ?? 0,
      },
    };
  }

  /** The run that ended last; undefined before the first end. */
  lastEnded(): Promise<SyncLog | undefined> {
    return this.last({ completed_at: { gt: '' } });
  }

  /** The run over the whole catalogue that ended last. */
  lastListing(): Promise<SyncLog | undefined> {
    return this.last({ completed_at: { gt: '' }, run_type: { in: ['full', 'incremental'] } });
  }

  /** When the remote catalogue was last read to its end. */
  async catalogReadAt(): Promise<string | null> {
    const [row] = await this.rows().find({ where: { catalog_read_at: { gt: '' } }, sort: LATEST_FIRST, limit: 1 });
    return row?.catalog_read_at ?? null;
  }

  /** The lease of the process that works on the run; undefined while there is none. */
  lease(runId: string): Promise<RunLeaseRow | undefined> {
    return this.leases.get(runId);
  }

  /** Lets any process take the run immediately: the holder finds out with its next renewal. */
  async forgetLease(runId: string): Promise<void> {
    await this.leases.delete(runId);
  }

  private async last(where: Where<SyncLogRow>): Promise<SyncLog | undefined> {
    const [row] = await this.rows().find({ where, sort: LATEST_FIRST, limit: 1 });
    return row && this.told(row);
  }

  private find(id: string): Promise<SyncLogRow | undefined> {
    return this.projections.find(syncLogsProjection.name, () => this.rows().get(id));
  }

  private async told(row: SyncLogRow): Promise<SyncLog> {
    const lease = row.status === 'running' ? await this.lease(row.id) : undefined;
    return toSyncLog(row, lease?.heartbeat_at ?? null);
  }

  private rows() {
    return this.documents.view(syncLogsProjection.name, syncLogRows);
  }
}
