import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type SyncSettings, getSyncSettings } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from './saved-settings';

export class GetSyncSettings extends QueryOf(getSyncSettings) {}

@QueryHandler(GetSyncSettings)
export class GetSyncSettingsHandler implements IQueryHandler<GetSyncSettings> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<SyncSettings> {
    return (await this.saved.ofWorkingModule()).sync;
  }
}
