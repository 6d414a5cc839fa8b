import type { Collection, Projection, Row } from '@sluice/document-store';
import { unknownEvent } from '@sluice/kernel';
import type { SigningKeyEvent, SigningKeyFacts } from '../domain/signing-key';

/** The active signing key of an app, under the app's integer id. */
export interface SigningKeyRow extends Row, Omit<SigningKeyFacts, 'id'> {
  /** The key's integer id. */
  readonly number: number;
  /** ISO 8601; `rotatedAt` is null for the app's first key. */
  readonly createdAt: string;
  readonly rotatedAt: string | null;
}

export const signingKeyRows: Collection<SigningKeyRow> = { name: 'signingKeys', indexes: [{ fields: ['sealId'] }] };

export const signingKeysProjection: Projection<SigningKeyEvent> = {
  name: 'signingKeys',
  version: 1,
  prefixes: ['signingKey-'],
  collections: [signingKeyRows],
  apply: (event, rows) => {
    switch (event.type) {
      case 'SigningKeyCreated':
      case 'SigningKeyRotated': {
        const { id, appId, name, scheme, publicKey, fingerprint, sealId } = event.data;
        const { at } = event.metadata;
        rows.put(signingKeyRows, {
          ...{ id: String(appId), number: id, appId, name, scheme, publicKey, fingerprint, sealId, createdAt: at },
          rotatedAt: event.type === 'SigningKeyRotated' ? at : null,
        });
        return;
      }
      case 'SigningKeyClosed':
        rows.delete(signingKeyRows, String(event.data.appId));
        return;
      default:
        return unknownEvent(event);
    }
  },
};
