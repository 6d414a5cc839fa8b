import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  type FeedSettings,
  getFeedSettings,
  getSyncSettings,
  saveFeedSettings,
  saveSyncSettings,
  type SyncSettings,
} from '@sluice/contracts';
import { type CommandHandling, COMMANDS } from '@sluice/event-store';
import { CommandOf, QueryOf } from '@sluice/messaging';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from './domain/merchant';
import { FIRST_VALUES, SavedSettings } from './saved-settings';

export class GetFeedSettings extends QueryOf(getFeedSettings) {}

@QueryHandler(GetFeedSettings)
export class GetFeedSettingsHandler implements IQueryHandler<GetFeedSettings> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<FeedSettings> {
    return (await this.saved.ofWorkingModule()).feed;
  }
}

export class GetSyncSettings extends QueryOf(getSyncSettings) {}

@QueryHandler(GetSyncSettings)
export class GetSyncSettingsHandler implements IQueryHandler<GetSyncSettings> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<SyncSettings> {
    return (await this.saved.ofWorkingModule()).sync;
  }
}

export class SaveFeedSettings extends CommandOf(saveFeedSettings) {}

@CommandHandler(SaveFeedSettings)
export class SaveFeedSettingsHandler implements ICommandHandler<SaveFeedSettings> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async execute({ request: changes, caller }: SaveFeedSettings): Promise<FeedSettings> {
    const command = { type: 'SaveFeedSettings', changes, firstValues: this.firstValues } as const;
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    return state.feed;
  }
}

export class SaveSyncSettings extends CommandOf(saveSyncSettings) {}

@CommandHandler(SaveSyncSettings)
export class SaveSyncSettingsHandler implements ICommandHandler<SaveSyncSettings> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async execute({ request: changes, caller }: SaveSyncSettings): Promise<SyncSettings> {
    const command = { type: 'SaveSyncSettings', changes, firstValues: this.firstValues } as const;
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    return state.sync;
  }
}

export const settingsCalls = [GetFeedSettings, GetSyncSettings, SaveFeedSettings, SaveSyncSettings] as const;
export const settingsHandlers = [
  GetFeedSettingsHandler,
  GetSyncSettingsHandler,
  SaveFeedSettingsHandler,
  SaveSyncSettingsHandler,
];
