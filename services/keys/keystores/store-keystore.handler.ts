import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, storeKeystore } from '@sluice/contracts';
import { DocumentStoreUnavailableError } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newUlid, UnavailableError } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import { existingKeystore, keystore, KEYSTORE_SEALS, type KeystoreFacts, keystoreStream } from './domain/keystore';
import { dropFormerKeystores, keystoreResource } from './keystores';

export class StoreKeystore extends CommandOf(storeKeystore) {}

/** Seals the data key, then appends the event that names it. */
@CommandHandler(StoreKeystore)
export class StoreKeystoreHandler implements ICommandHandler<StoreKeystore> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  async execute({ request, caller }: StoreKeystore): Promise<ReplyOf<typeof storeKeystore>> {
    const { appId, originalName, size, sha256, objectKey, dataKey } = request;
    const sealId = `${KEYSTORE_SEALS}${newUlid()}`;
    const facts: KeystoreFacts = { appId, originalName, size, sha256, objectKey, sealId };
    const vault: Pick<Vault, 'seal' | 'delete'> = {
      seal: (id, secret) => this.vault.seal(id, secret).catch(nothingStored),
      delete: (id) => this.vault.delete(id),
    };
    const { state, events } = await sealThenAppend(vault, sealId, Buffer.from(dataKey, 'base64'), () =>
      this.commands.handle(keystore, keystoreStream(appId), { type: 'StoreKeystore', keystore: facts }, caller),
    );
    const [stored] = events;
    if (stored?.type !== 'KeystoreStored') throw new Error(`The command ${caller.commandId} stored no keystore.`);
    await dropFormerKeystores(this.vault, this.objects, events);
    // A repeat responds with the backup as it is now.
    return {
      objectKey: stored.data.objectKey,
      keystore: state === null ? { configured: false } : keystoreResource(existingKeystore(state)),
    };
  }
}

/** No event was appended yet. */
function nothingStored(cause: unknown): never {
  if (!(cause instanceof DocumentStoreUnavailableError)) throw cause;
  const refusal = new UnavailableError('The key of the keystore could not be kept.', undefined, 'no');
  refusal.cause = cause;
  throw refusal;
}
