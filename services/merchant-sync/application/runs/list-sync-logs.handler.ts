import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { listSyncLogs, ReplyOf, RequestOf } from '@sluice/contracts';
import { SavedSettings } from '../settings/saved-settings';
import { SyncLogs } from './sync-logs';

export class ListSyncLogs extends Query<ReplyOf<typeof listSyncLogs>> {
  constructor(readonly request: RequestOf<typeof listSyncLogs>) {
    super();
  }
}

@QueryHandler(ListSyncLogs)
export class ListSyncLogsHandler implements IQueryHandler<ListSyncLogs> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  async execute({ request: { page, perPage } }: ListSyncLogs): Promise<ReplyOf<typeof listSyncLogs>> {
    await this.saved.ofWorkingModule();
    return this.logs.page((page - 1) * perPage, perPage);
  }
}
