import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { KeystoreEvent, StoredKeystore } from './domain/keystore';

/** The keystore backup of an app, under the app's integer id. */
export interface KeystoreRow extends Row, StoredKeystore {}

export const keystoreRows: Collection<KeystoreRow> = {
  name: 'keystores',
  indexes: [{ fields: ['sealId'] }, { fields: ['objectKey'] }],
};

export const keystoresProjection: Projection<KeystoreEvent> = {
  name: 'keystores',
  version: 1,
  prefixes: ['keystore-'],
  collections: [keystoreRows],
  apply: (event, rows) => {
    switch (event.type) {
      case 'KeystoreStored': {
        const { appId, originalName, size, sha256, objectKey, sealId } = event.data;
        const uploadedAt = event.metadata.at;
        rows.put(keystoreRows, { id: String(appId), appId, originalName, size, sha256, objectKey, sealId, uploadedAt });
        return;
      }
      case 'KeystoreDeleted':
        rows.delete(keystoreRows, String(event.data.appId));
        return;
      case 'KeystoreClosed':
        return;
      default:
        return unknownEvent(event);
    }
  },
};
