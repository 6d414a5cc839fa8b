import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  getListingsModule,
  type ListingsModule,
  type ReplyOf,
  requireListingsModule,
  setListingsModule,
} from '@sluice/contracts';
import { type CommandHandling, COMMANDS } from '@sluice/event-store';
import { CommandOf, QueryOf } from '@sluice/messaging';
import { merchant, merchantStream, moduleOf, STORE_ID } from '../settings/domain/merchant';
import { FIRST_VALUES, SavedSettings } from '../settings/saved-settings';

export class GetModule extends QueryOf(getListingsModule) {}

@QueryHandler(GetModule)
export class GetModuleHandler implements IQueryHandler<GetModule> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<ListingsModule> {
    return this.saved.module();
  }
}

export class RequireModule extends QueryOf(requireListingsModule) {}

@QueryHandler(RequireModule)
export class RequireModuleHandler implements IQueryHandler<RequireModule> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<ReplyOf<typeof requireListingsModule>> {
    await this.saved.ofWorkingModule();
    return {};
  }
}

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

export const moduleCalls = [GetModule, RequireModule, SetModule] as const;
export const moduleHandlers = [GetModuleHandler, RequireModuleHandler, SetModuleHandler];
