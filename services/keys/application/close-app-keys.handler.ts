import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { closeAppKeys, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import { apiKeys, apiKeysStream } from '../domain/api-keys';
import { signingKey, signingKeyStream } from '../domain/signing-key';
import { Keystores } from './keystores';

export class CloseAppKeys extends CommandOf(closeAppKeys) {}

/**
 * Closes every stream that holds a key or a keystore of the app, also one that holds none yet, so that a key in
 * flight finds it closed; then drops what was sealed. A seal that stays is swept.
 */
@CommandHandler(CloseAppKeys)
export class CloseAppKeysHandler implements ICommandHandler<CloseAppKeys> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(VAULT) private readonly vault: Vault,
    private readonly keystores: Keystores,
  ) {}

  async execute({ request: { appId }, caller }: CloseAppKeys): Promise<ReplyOf<typeof closeAppKeys>> {
    const { commands } = this;
    const quietly = { visible: false };
    const closed = await Promise.all([
      commands.handle(apiKeys, apiKeysStream(appId), { type: 'CloseApiKeys', appId }, caller, quietly),
      commands.handle(signingKey, signingKeyStream(appId), { type: 'CloseSigningKey', appId }, caller, quietly),
    ]);
    for (const { events } of closed) await dropFormerSeals(this.vault, events);
    await this.keystores.close(appId, caller);
    return { closed: true };
  }
}
