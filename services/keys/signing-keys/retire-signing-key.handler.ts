import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ListedSigningKey, retireSigningKey } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { dropSeal, VAULT, type Vault } from '@sluice/vault';
import { signingKey, signingKeyNotFound, signingKeyStream, trustedKeys } from './domain/signing-key';
import { listedSigningKey } from './signing-keys';

export class RetireSigningKey extends CommandOf(retireSigningKey) {}

/** A former key signs nothing any more; its private half is dropped. */
@CommandHandler(RetireSigningKey)
export class RetireSigningKeyHandler implements ICommandHandler<RetireSigningKey> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  async execute({ request: { appId, id }, caller }: RetireSigningKey): Promise<ListedSigningKey> {
    const command = { type: 'RetireSigningKey', appId, id } as const;
    const { state, events } = await this.commands.handle(signingKey, signingKeyStream(appId), command, caller);
    for (const event of events)
      if (event.type === 'FormerSigningKeyRetired') await dropSeal(this.vault, event.data.sealId);
    const keys = state === null || state === 'closed' ? [] : [...trustedKeys(state), ...state.retired];
    const key = keys.find((each) => each.id === id);
    if (key === undefined) throw signingKeyNotFound(id);
    return listedSigningKey(key);
  }
}
