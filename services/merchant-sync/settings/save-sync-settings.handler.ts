import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type SyncSettings, saveSyncSettings } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from './domain/merchant';
import { FIRST_VALUES } from './saved-settings';

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
