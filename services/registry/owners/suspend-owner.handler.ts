import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Owner, suspendOwner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { existingOwner, owner, ownerStream } from './domain/owner';
import { ownerResource } from './owner-resource';

export class SuspendOwner extends CommandOf(suspendOwner) {}

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
