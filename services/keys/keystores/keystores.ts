import type { ConfiguredKeystore } from '@sluice/contracts';
import type { ObjectStore } from '@sluice/object-store';
import { dropFormerSeals, type Vault } from '@sluice/vault';
import type { KeystoreEvent, StoredKeystore } from './domain/keystore';

/** Drops the backups that these events replaced or deleted. Best effort: an object that stays is swept as an orphan. */
export async function dropFormerKeystores(
  vault: Vault,
  objects: ObjectStore,
  events: readonly KeystoreEvent[],
): Promise<void> {
  await dropFormerSeals(vault, events);
  for (const { data } of events) {
    const objectKey = 'formerObjectKey' in data ? data.formerObjectKey : undefined;
    if (objectKey !== undefined) await objects.delete(objectKey).catch(() => false);
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
