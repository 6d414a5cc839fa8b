import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  closeAppKeys,
  type ConfiguredKeystore,
  deleteKeystore,
  getKeystore,
  type Keystore,
  openKeystore,
  prepareKeystore,
  type RequestOf,
  storeKeystore,
} from '@sluice/contracts';
import { DocumentStoreUnavailableError, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newUlid, UnavailableError, STANDARD_CHANNELS } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { dropFormerSeals, sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import { apiKeys, apiKeysStream } from '../api-keys/domain/api-keys';
import { signingKey, signingKeyStream } from '../signing-keys/domain/signing-key';
import {
  existingKeystore,
  keystore,
  KEYSTORE_OBJECTS,
  KEYSTORE_SEALS,
  type KeystoreEvent,
  type KeystoreFacts,
  keystoreStream,
  type StoredKeystore,
} from './domain/keystore';
import { keystoreRows, keystoresProjection } from './keystores.projection';

@Injectable()
export class KeystoreHandlers {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  @HandlesQuery(getKeystore)
  async get({ appId }: RequestOf<typeof getKeystore>): Promise<Keystore> {
    const { name } = keystoresProjection;
    const view = this.readStore.view(name, keystoreRows);
    const row = await this.projections.find(name, () => view.get(String(appId)));
    return row === undefined ? { configured: false } : keystoreResource(row);
  }

  @HandlesQuery(prepareKeystore)
  prepare() {
    const dataKey = randomBytes(32).toString('base64');
    return { objectKey: `${KEYSTORE_OBJECTS}${newUlid()}`, dataKey };
  }

  /** Seals the data key, then appends the event that names it. */
  @HandlesCommand(storeKeystore)
  async store(request: RequestOf<typeof storeKeystore>, caller: Caller) {
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
    await this.dropFormer(events);
    // A repeat responds with the backup as it is now.
    const now: Keystore = state === null ? { configured: false } : keystoreResource(existingKeystore(state));
    return { objectKey: stored.data.objectKey, keystore: now };
  }

  @HandlesQuery(openKeystore)
  async open({ appId }: RequestOf<typeof openKeystore>) {
    const { state } = await this.commands.load(keystore, keystoreStream(appId));
    const { originalName, size, objectKey, sealId } = existingKeystore(state);
    const sealed = await this.vault.open(sealId);
    if (sealed === undefined) throw new UnavailableError('The keystore was replaced meanwhile.');
    return { originalName, size, objectKey, dataKey: sealed.toString('base64') };
  }

  @HandlesCommand(deleteKeystore)
  async delete({ appId }: RequestOf<typeof deleteKeystore>, caller: Caller) {
    const { events } = await this.commands.handle(keystore, keystoreStream(appId), { type: 'DeleteKeystore' }, caller);
    await this.dropFormer(events);
    return { deleted: true as const };
  }

  /**
   * Closes every stream that holds a key or a keystore of the app, also one that holds none yet, so that a key in
   * flight finds it closed; then drops what was sealed. A seal that stays is swept.
   */
  @HandlesCommand(closeAppKeys)
  async closeAppKeys({ appId }: RequestOf<typeof closeAppKeys>, caller: Caller) {
    const { commands } = this;
    const quietly = { waitForReaders: false };
    const closed = await Promise.all([
      // Those of added channels are closed with their channels.
      ...[undefined, ...STANDARD_CHANNELS].map((channel) =>
        commands.handle(apiKeys, apiKeysStream(appId, channel), { type: 'CloseApiKeys', appId }, caller, quietly),
      ),
      commands.handle(signingKey, signingKeyStream(appId), { type: 'CloseSigningKey', appId }, caller, quietly),
    ]);
    for (const { events } of closed) await dropFormerSeals(this.vault, events);
    const close = { type: 'CloseKeystore', appId } as const;
    const { events } = await commands.handle(keystore, keystoreStream(appId), close, caller, quietly);
    await this.dropFormer(events);
    return { closed: true as const };
  }

  /** Drops the backups that these events replaced or deleted. Best effort: an object that stays is swept as an orphan. */
  private async dropFormer(events: readonly KeystoreEvent[]): Promise<void> {
    await dropFormerSeals(this.vault, events);
    for (const { data } of events) {
      const objectKey = 'formerObjectKey' in data ? data.formerObjectKey : undefined;
      if (objectKey !== undefined) await this.objects.delete(objectKey).catch(() => false);
    }
  }
}

function keystoreResource({ originalName, size, sha256, uploadedAt }: StoredKeystore): ConfiguredKeystore {
  return { configured: true, original_name: originalName, size_bytes: size, sha256, uploaded_at: uploadedAt };
}

/** No event was appended yet. */
function nothingStored(cause: unknown): never {
  if (!(cause instanceof DocumentStoreUnavailableError)) throw cause;
  const refusal = new UnavailableError('The key of the keystore could not be kept.', undefined, 'no');
  refusal.cause = cause;
  throw refusal;
}
