import { DomainError, unknownEvent, type Decider } from '@sluice/kernel';
import { appNotFound } from '../../domain/app-not-found';

/** A keystore's backup; its bytes lie sealed in the object store, their data key in the vault. */
export interface KeystoreFacts {
  readonly appId: number;
  readonly originalName: string;
  /** Bytes of the file as it was sent. */
  readonly size: number;
  /** Lower-case hex SHA-256 of the file as it was sent. */
  readonly sha256: string;
  readonly objectKey: string;
  /** Id of the sealed data key in the vault. */
  readonly sealId: string;
}

export interface StoredKeystore extends KeystoreFacts {
  /** ISO 8601. */
  readonly uploadedAt: string;
}

/** What was kept before and is of no use any more. */
interface FormerKeystore {
  readonly formerObjectKey: string;
  readonly formerSealId: string;
}

export type KeystoreCommand =
  | { readonly type: 'StoreKeystore'; readonly keystore: KeystoreFacts }
  | { readonly type: 'DeleteKeystore' }
  | { readonly type: 'CloseKeystore'; readonly appId: number };

export type KeystoreEvent =
  | { readonly type: 'KeystoreStored'; readonly data: KeystoreFacts & Partial<FormerKeystore> }
  | { readonly type: 'KeystoreDeleted'; readonly data: FormerKeystore & { readonly appId: number } }
  /** The app is being removed: there will be no backup any more. */
  | { readonly type: 'KeystoreClosed'; readonly data: { readonly appId: number } };

/** Null when there is no backup; `closed` once the app is being removed. */
export type KeystoreState = StoredKeystore | 'closed' | null;

/** What the ids of sealed data keys of keystores begin with; a ULID follows. */
export const KEYSTORE_SEALS = 'keystore-';

/** What the keys of sealed keystores in the object store begin with; a ULID follows. */
export const KEYSTORE_OBJECTS = 'keystores/';

/** Stream `keystore-{appId}`: the one backup of an app's keystore. */
export const keystoreStream = (appId: number) => `keystore-${appId}`;

export const keystore: Decider<KeystoreState, KeystoreCommand, KeystoreEvent> = {
  initialState: () => null,

  decide: (command, kept) => {
    if (kept === 'closed') {
      if (command.type === 'CloseKeystore') return [];
      throw appNotFound();
    }
    switch (command.type) {
      case 'StoreKeystore':
        return [{ type: 'KeystoreStored', data: { ...command.keystore, ...(kept !== null && formerOf(kept)) } }];
      case 'DeleteKeystore':
        return [deletion(existingKeystore(kept))];
      case 'CloseKeystore': {
        const closed = { type: 'KeystoreClosed', data: { appId: command.appId } } as const;
        return kept === null ? [closed] : [deletion(kept), closed];
      }
    }
  },

  evolve: (_kept, event, at) => {
    switch (event.type) {
      case 'KeystoreStored': {
        const { appId, originalName, size, sha256, objectKey, sealId } = event.data;
        return { appId, originalName, size, sha256, objectKey, sealId, uploadedAt: at };
      }
      case 'KeystoreDeleted':
        return null;
      case 'KeystoreClosed':
        return 'closed';
      default:
        return unknownEvent(event);
    }
  },
};

/** @throws DomainError KEYSTORE_NOT_FOUND; APP_NOT_FOUND once the app is being removed */
export function existingKeystore(kept: KeystoreState): StoredKeystore {
  if (kept === 'closed') throw appNotFound();
  if (kept === null) throw new DomainError('KEYSTORE_NOT_FOUND', 'The app has no keystore backup.');
  return kept;
}

function deletion(kept: KeystoreFacts): KeystoreEvent {
  return { type: 'KeystoreDeleted', data: { appId: kept.appId, ...formerOf(kept) } };
}

function formerOf({ objectKey, sealId }: KeystoreFacts): FormerKeystore {
  return { formerObjectKey: objectKey, formerSealId: sealId };
}
