import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { FeedSettings } from '@sluice/contracts';
import { SavedSettings } from './saved-settings';

export class GetFeedSettings extends Query<FeedSettings> {}

@QueryHandler(GetFeedSettings)
export class GetFeedSettingsHandler implements IQueryHandler<GetFeedSettings> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<FeedSettings> {
    return (await this.saved.ofWorkingModule()).feed;
  }
}
