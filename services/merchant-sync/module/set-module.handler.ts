import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ListingsModule, setListingsModule } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { merchant, merchantStream, moduleOf, STORE_ID } from '../settings/domain/merchant';
import { FIRST_VALUES } from '../settings/saved-settings';

export class SetModule extends CommandOf(setListingsModule) {}

@CommandHandler(SetModule)
export class SetModuleHandler implements ICommandHandler<SetModule> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
  ) {}

  async execute({ request, caller }: SetModule): Promise<ListingsModule> {
    const command = { ...request, type: 'SetModule' } as const;
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    return moduleOf(state, this.firstValues);
  }
}
