import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { openKeystore, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { UnavailableError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { VAULT, type Vault } from '@sluice/vault';
import { existingKeystore, keystore, keystoreStream } from './domain/keystore';

export class OpenKeystore extends QueryOf(openKeystore) {}

@QueryHandler(OpenKeystore)
export class OpenKeystoreHandler implements IQueryHandler<OpenKeystore> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  async execute({ request: { appId } }: OpenKeystore): Promise<ReplyOf<typeof openKeystore>> {
    const { state } = await this.commands.load(keystore, keystoreStream(appId));
    const { originalName, size, objectKey, sealId } = existingKeystore(state);
    const sealed = await this.vault.open(sealId);
    if (sealed === undefined) throw new UnavailableError('The keystore was replaced meanwhile.');
    return { originalName, size, objectKey, dataKey: sealed.toString('base64') };
  }
}
