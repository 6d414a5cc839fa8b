import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createOwner, OPERATOR_ID, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { existingOwner, owner, ownerStream } from './domain/owner';
import { ownerResource } from './owner-resource';
import { OneTimeSecrets } from '../tokens/one-time-secrets';

/** Injection token of the Sequence that ids of owners come from, counted behind the first owner's. */
export const OWNER_IDS = Symbol('OwnerIds');

export class CreateOwner extends CommandOf(createOwner) {}

@CommandHandler(CreateOwner)
export class CreateOwnerHandler implements ICommandHandler<CreateOwner> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(OWNER_IDS) private readonly ids: Sequence,
    private readonly secrets: OneTimeSecrets,
  ) {}

  async execute({ request: { name }, caller }: CreateOwner): Promise<ReplyOf<typeof createOwner>> {
    const id = OPERATOR_ID + (await this.ids.of(caller));
    const { state, repeated, plaintext } = await this.secrets.issue('svc_own_', caller, ({ hash, sealId }) =>
      this.commands.handle(owner, ownerStream(id), { type: 'CreateOwner', id, name, key: { hash, sealId } }, caller),
    );
    const created = existingOwner(state);
    const shown = repeated ? await this.secrets.plaintext(created.sealId) : plaintext;
    return { ...ownerResource(created), owner_key: shown };
  }
}
