import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getSyncStatus, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from '../settings/saved-settings';
import { SyncLogs } from './sync-logs';

export class GetSyncStatus extends QueryOf(getSyncStatus) {}

@QueryHandler(GetSyncStatus)
export class GetSyncStatusHandler implements IQueryHandler<GetSyncStatus> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  async execute(): Promise<ReplyOf<typeof getSyncStatus>> {
    const { current } = (await this.saved.ofWorkingModule()).runs;
    if (current === null) return { running: false, progress: null };
    const [log, lease] = await Promise.all([this.logs.get(current.runId), this.logs.lease(current.runId)]);
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
}
