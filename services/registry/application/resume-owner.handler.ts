import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, Owner, RequestOf, resumeOwner } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { owner, ownerStream } from '../domain/owner';
import { OwnerView } from './owner-view';

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
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly view: OwnerView,
  ) {}

  async execute({ request: { id }, caller }: ResumeOwner): Promise<Owner> {
    await this.commands.handle(owner, ownerStream(id), { type: 'ResumeOwner' }, caller);
    return this.view.of(id);
  }
}
