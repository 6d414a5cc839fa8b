import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, SyncSettings, RequestOf, saveSyncSettings } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from '../../domain/merchant';
import { FIRST_VALUES } from './saved-settings';

export class SaveSyncSettings extends Command<SyncSettings> {
  constructor(
    readonly changes: RequestOf<typeof saveSyncSettings>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(SaveSyncSettings)
export class SaveSyncSettingsHandler implements ICommandHandler<SaveSyncSettings> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async execute({ changes, caller }: SaveSyncSettings): Promise<SyncSettings> {
    const command = { type: 'SaveSyncSettings', changes, firstValues: this.firstValues } as const;
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    return state.sync;
  }
}
