import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { closeAppKeys, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import { apiKeys, apiKeysStream } from './api-keys/domain/api-keys';
import { keystore, keystoreStream } from './keystores/domain/keystore';
import { signingKey, signingKeyStream } from './signing-keys/domain/signing-key';
import { dropFormerKeystores } from './keystores/keystores';

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
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  async execute({ request: { appId }, caller }: CloseAppKeys): Promise<ReplyOf<typeof closeAppKeys>> {
    const { commands } = this;
    const quietly = { waitForReaders: false };
    const closed = await Promise.all([
      commands.handle(apiKeys, apiKeysStream(appId), { type: 'CloseApiKeys', appId }, caller, quietly),
      commands.handle(signingKey, signingKeyStream(appId), { type: 'CloseSigningKey', appId }, caller, quietly),
    ]);
    for (const { events } of closed) await dropFormerSeals(this.vault, events);
    const close = { type: 'CloseKeystore', appId } as const;
    const { events } = await commands.handle(keystore, keystoreStream(appId), close, caller, quietly);
    await dropFormerKeystores(this.vault, this.objects, events);
    return { closed: true };
  }
}
