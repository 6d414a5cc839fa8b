import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Owner, getOwner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { QueryOf } from '@sluice/messaging';
import { existingOwner, owner, ownerStream } from './domain/owner';
import { ownerResource } from './owner-resource';

export class GetOwner extends QueryOf(getOwner) {}

@QueryHandler(GetOwner)
export class GetOwnerHandler implements IQueryHandler<GetOwner> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ request: { id } }: GetOwner): Promise<Owner> {
    const { state } = await this.commands.load(owner, ownerStream(id));
    return ownerResource(existingOwner(state));
  }
}
