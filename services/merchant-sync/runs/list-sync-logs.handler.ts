import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listSyncLogs, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from '../settings/saved-settings';
import { SyncLogs } from './sync-logs';

export class ListSyncLogs extends QueryOf(listSyncLogs) {}

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
