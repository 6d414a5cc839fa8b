import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type FeedSettings, saveFeedSettings } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from './domain/merchant';
import { FIRST_VALUES } from './saved-settings';

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
