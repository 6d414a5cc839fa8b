import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type Caller,
  type FeedSettings,
  getFeedSettings,
  getListingsModule,
  getSyncSettings,
  type ListingsModule,
  type ReplyOf,
  type RequestOf,
  requireListingsModule,
  saveFeedSettings,
  saveSyncSettings,
  setListingsModule,
  type SyncSettings,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { GetFeedSettings } from '../application/settings/get-feed-settings.handler';
import { GetModule } from '../application/module/get-module.handler';
import { GetSyncSettings } from '../application/settings/get-sync-settings.handler';
import { RequireModule } from '../application/module/require-module.handler';
import { SaveFeedSettings } from '../application/settings/save-feed-settings.handler';
import { SaveSyncSettings } from '../application/settings/save-sync-settings.handler';
import { SetModule } from '../application/module/set-module.handler';

@Controller()
export class MerchantSyncController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(requireListingsModule)
  requireModule(): Promise<ReplyOf<typeof requireListingsModule>> {
    return this.queries.execute(new RequireModule());
  }

  @Handles(getListingsModule)
  getModule(): Promise<ListingsModule> {
    return this.queries.execute(new GetModule());
  }

  @Handles(setListingsModule)
  setModule(changes: RequestOf<typeof setListingsModule>, caller: Caller): Promise<ListingsModule> {
    return this.commands.execute(new SetModule(changes, caller));
  }

  @Handles(getFeedSettings)
  getFeedSettings(): Promise<FeedSettings> {
    return this.queries.execute(new GetFeedSettings());
  }

  @Handles(saveFeedSettings)
  saveFeedSettings(changes: RequestOf<typeof saveFeedSettings>, caller: Caller): Promise<FeedSettings> {
    return this.commands.execute(new SaveFeedSettings(changes, caller));
  }

  @Handles(getSyncSettings)
  getSyncSettings(): Promise<SyncSettings> {
    return this.queries.execute(new GetSyncSettings());
  }

  @Handles(saveSyncSettings)
  saveSyncSettings(changes: RequestOf<typeof saveSyncSettings>, caller: Caller): Promise<SyncSettings> {
    return this.commands.execute(new SaveSyncSettings(changes, caller));
  }
}
