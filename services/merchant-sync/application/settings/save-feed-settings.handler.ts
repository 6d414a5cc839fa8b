import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, FeedSettings, RequestOf, saveFeedSettings } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from '../../domain/merchant';
import { FIRST_VALUES } from './saved-settings';

export class SaveFeedSettings extends Command<FeedSettings> {
  constructor(
    readonly changes: RequestOf<typeof saveFeedSettings>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(SaveFeedSettings)
export class SaveFeedSettingsHandler implements ICommandHandler<SaveFeedSettings> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async execute({ changes, caller }: SaveFeedSettings): Promise<FeedSettings> {
    const command = { type: 'SaveFeedSettings', changes, firstValues: this.firstValues } as const;
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    return state.feed;
  }
}
