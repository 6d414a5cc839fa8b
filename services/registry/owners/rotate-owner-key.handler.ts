import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { OPERATOR_ID, type ReplyOf, rotateOwnerKey } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import type { RegistrySettings } from '../config/registry.settings';
import { existingOwner, owner, ownerStream } from './domain/owner';
import { rotateWithFile } from './owner-key-file';
import { ownerResource } from './owner-resource';
import { OneTimeSecrets } from '../tokens/one-time-secrets';
import { Tokens } from '../tokens/tokens';

export class RotateOwnerKey extends CommandOf(rotateOwnerKey) {}

@CommandHandler(RotateOwnerKey)
export class RotateOwnerKeyHandler implements ICommandHandler<RotateOwnerKey> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
    private readonly secrets: OneTimeSecrets,
    @Inject(VAULT) private readonly vault: Vault,
    private readonly tokens: Tokens,
  ) {}

  async execute({ request: { id, revokeTokens }, caller }: RotateOwnerKey): Promise<ReplyOf<typeof rotateOwnerKey>> {
    const handled = await this.secrets.issue('svc_own_', caller, ({ hash, sealId, plaintext: key }) => {
      const command = { type: 'RotateOwnerKey', key: { hash, sealId } } as const;
      const rotate = () => this.commands.handle(owner, ownerStream(id), command, caller);
      const present = async () => existingOwner((await this.commands.load(owner, ownerStream(id))).state).hash;
      return id === OPERATOR_ID ? rotateWithFile(this.settings, key, rotate, present) : rotate();
    });
    await dropFormerSeals(this.vault, handled.events);
    if (revokeTokens) await this.tokens.revokeAll(id, caller);
    const rotated = existingOwner(handled.state);
    const shown = handled.repeated ? await this.secrets.plaintext(rotated.sealId) : handled.plaintext;
    return { ...ownerResource(rotated), owner_key: shown };
  }
}
