import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Owner, resumeOwner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { existingOwner, owner, ownerStream } from './domain/owner';
import { ownerResource } from './owner-resource';

export class ResumeOwner extends CommandOf(resumeOwner) {}

@CommandHandler(ResumeOwner)
export class ResumeOwnerHandler implements ICommandHandler<ResumeOwner> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ request: { id }, caller }: ResumeOwner): Promise<Owner> {
    const { state } = await this.commands.handle(owner, ownerStream(id), { type: 'ResumeOwner' }, caller);
    return ownerResource(existingOwner(state));
  }
}
