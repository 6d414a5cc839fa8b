import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ListingsModule, RequestOf, setListingsModule } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { merchant, merchantStream, moduleOf, STORE_ID } from '../../domain/merchant';
import { FIRST_VALUES } from '../settings/saved-settings';

export class SetModule extends Command<ListingsModule> {
  constructor(
    readonly changes: RequestOf<typeof setListingsModule>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(SetModule)
export class SetModuleHandler implements ICommandHandler<SetModule> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async execute({ changes, caller }: SetModule): Promise<ListingsModule> {
    const command = { ...changes, type: 'SetModule' } as const;
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    return moduleOf(state, this.firstValues);
  }
}
