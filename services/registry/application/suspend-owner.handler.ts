import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, Owner, RequestOf, suspendOwner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { existingOwner, owner, ownerStream } from '../domain/owner';
import { ownerResource } from './owner-resource';

export class SuspendOwner extends Command<Owner> {
  constructor(
    readonly request: RequestOf<typeof suspendOwner>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(SuspendOwner)
export class SuspendOwnerHandler implements ICommandHandler<SuspendOwner> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ request: { id, ...suspension }, caller }: SuspendOwner): Promise<Owner> {
    const { state } = await this.commands.handle(
      owner,
      ownerStream(id),
      { type: 'SuspendOwner', ...suspension },
      caller,
    );
    return ownerResource(existingOwner(state));
  }
}
