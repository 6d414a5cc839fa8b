import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller, ConfiguredKeystore, openKeystore, ReplyOf, RequestOf, storeKeystore } from '@sluice/contracts';
import { DocumentStoreUnavailableError } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newUlid, UnavailableError } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { dropFormerSeals, sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import {
  existingKeystore,
  keystore,
  KEYSTORE_OBJECTS,
  KEYSTORE_SEALS,
  keystoreStream,
  type KeystoreEvent,
  type KeystoreFacts,
  type StoredKeystore,
} from '../domain/keystore';

/** Backups of keystores: the gateway streams and seals their bytes, the keys to them lie in the vault. */
@Injectable()
export class Keystores {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  prepare(): { objectKey: string; dataKey: string } {
    return { objectKey: `${KEYSTORE_OBJECTS}${newUlid()}`, dataKey: randomBytes(32).toString('base64') };
  }

  /** Seals the data key, then appends the event that names it. */
  async store(
    { appId, originalName, size, sha256, objectKey, dataKey }: RequestOf<typeof storeKeystore>,
    caller: Caller,
  ): Promise<ReplyOf<typeof storeKeystore>> {
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
    await this.dropFormer(events);
    const { objectKey: kept } = stored.data;
    // A repeat responds with the backup as it is now.
    return {
      objectKey: kept,
      keystore: state === null ? { configured: false } : keystoreResource(existingKeystore(state)),
    };
  }

  async delete(appId: number, caller: Caller): Promise<void> {
    const { events } = await this.commands.handle(keystore, keystoreStream(appId), { type: 'DeleteKeystore' }, caller);
    await this.dropFormer(events);
  }

  /** Of an app that is being removed: the backup goes, and none can be stored. */
  async close(appId: number, caller: Caller): Promise<void> {
    const command = { type: 'CloseKeystore', appId } as const;
    const { events } = await this.commands.handle(keystore, keystoreStream(appId), command, caller, { visible: false });
    await this.dropFormer(events);
  }

  /** @throws DomainError KEYSTORE_NOT_FOUND */
  async open(appId: number): Promise<ReplyOf<typeof openKeystore>> {
    const { state } = await this.commands.load(keystore, keystoreStream(appId));
    const { originalName, size, objectKey, sealId } = existingKeystore(state);
    const sealed = await this.vault.open(sealId);
    if (sealed === undefined) throw new UnavailableError('The keystore was replaced meanwhile.');
    return { originalName, size, objectKey, dataKey: sealed.toString('base64') };
  }

  /** Best effort, the keys first: an object that stays is an orphan, which is swept. */
  private async dropFormer(events: readonly KeystoreEvent[]): Promise<void> {
    await dropFormerSeals(this.vault, events);
    for (const { data } of events) {
      const objectKey = 'formerObjectKey' in data ? data.formerObjectKey : undefined;
      if (objectKey !== undefined) await this.objects.delete(objectKey).catch(() => false);
    }
  }
}

export function keystoreResource(keystore: StoredKeystore): ConfiguredKeystore {
  const { originalName, size, sha256, uploadedAt } = keystore;
  return {
    configured: true,
    original_name: originalName,
    size_bytes: size,
    sha256,
    uploaded_at: uploadedAt,
  };
}

/** No event was appended yet. */
function nothingStored(cause: unknown): never {
  if (!(cause instanceof DocumentStoreUnavailableError)) throw cause;
  const refusal = new UnavailableError('The key of the keystore could not be kept.', undefined, 'no');
  refusal.cause = cause;
  throw refusal;
}
