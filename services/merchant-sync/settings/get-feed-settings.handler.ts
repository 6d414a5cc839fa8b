import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type FeedSettings, getFeedSettings } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from './saved-settings';

export class GetFeedSettings extends QueryOf(getFeedSettings) {}

@QueryHandler(GetFeedSettings)
export class GetFeedSettingsHandler implements IQueryHandler<GetFeedSettings> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<FeedSettings> {
    return (await this.saved.ofWorkingModule()).feed;
  }
}
