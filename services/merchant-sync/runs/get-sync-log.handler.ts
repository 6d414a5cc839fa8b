import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type SyncLog, getSyncLog } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from '../settings/saved-settings';
import { SyncLogs } from './sync-logs';

export class GetSyncLog extends QueryOf(getSyncLog) {}

@QueryHandler(GetSyncLog)
export class GetSyncLogHandler implements IQueryHandler<GetSyncLog> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  async execute({ request: { id } }: GetSyncLog): Promise<SyncLog> {
    await this.saved.ofWorkingModule();
    const log = await this.logs.get(id);
    if (log === undefined) throw new DomainError('NOT_FOUND', 'There is no log with this id, or it was pruned.');
    return log;
  }
}
