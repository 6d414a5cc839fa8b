import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { SyncSettings } from '@sluice/contracts';
import { SavedSettings } from './saved-settings';

export class GetSyncSettings extends Query<SyncSettings> {}

@QueryHandler(GetSyncSettings)
export class GetSyncSettingsHandler implements IQueryHandler<GetSyncSettings> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<SyncSettings> {
    return (await this.saved.ofWorkingModule()).sync;
  }
}
