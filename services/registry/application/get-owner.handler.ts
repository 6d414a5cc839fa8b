import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Owner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { existingOwner, owner, ownerStream } from '../domain/owner';
import { ownerResource } from './owner-resource';

export class GetOwner extends Query<Owner> {
  constructor(readonly id: number) {
    super();
  }
}

@QueryHandler(GetOwner)
export class GetOwnerHandler implements IQueryHandler<GetOwner> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ id }: GetOwner): Promise<Owner> {
    const { state } = await this.commands.load(owner, ownerStream(id));
    return ownerResource(existingOwner(state));
  }
}
