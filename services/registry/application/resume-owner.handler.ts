import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, Owner, RequestOf, resumeOwner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { existingOwner, owner, ownerStream } from '../domain/owner';
import { ownerResource } from './owner-resource';

export class ResumeOwner extends Command<Owner> {
  constructor(
    readonly request: RequestOf<typeof resumeOwner>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(ResumeOwner)
export class ResumeOwnerHandler implements ICommandHandler<ResumeOwner> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ request: { id }, caller }: ResumeOwner): Promise<Owner> {
    const { state } = await this.commands.handle(owner, ownerStream(id), { type: 'ResumeOwner' }, caller);
    return ownerResource(existingOwner(state));
  }
}
