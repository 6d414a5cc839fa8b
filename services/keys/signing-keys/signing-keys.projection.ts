import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { SigningKeyEvent, SigningKeyFacts } from './domain/signing-key';

/** The active signing key of an app, under the app's integer id. */
export interface SigningKeyRow extends Row, Omit<SigningKeyFacts, 'id'> {
  /** The key's integer id. */
  readonly number: number;
  /** ISO 8601; `rotatedAt` is null for the app's first key. */
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  /** Former keys that still sign, oldest first. */
  readonly former: readonly Pick<SigningKeyFacts, 'id' | 'fingerprint'>[];
}

/** Any signing key of an app, under its own integer id. */
export interface ListedSigningKeyRow extends Row, Omit<SigningKeyFacts, 'id' | 'sealId'> {
  readonly number: number;
  /** Of the event that made it. */
  readonly position: string;
  readonly status: 'active' | 'former' | 'retired';
  /** Null once it is retired. */
  readonly sealId: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly supersededAt: string | null;
  readonly retiredAt: string | null;
}

export const signingKeyRows: Collection<SigningKeyRow> = { name: 'signingKeys', indexes: [] };

export const listedSigningKeyRows: Collection<ListedSigningKeyRow> = {
  name: 'listedSigningKeys',
  indexes: [{ fields: ['appId', 'position'] }, { fields: ['sealId'] }],
};

export const signingKeysProjection: Projection<SigningKeyEvent> = {
  name: 'signingKeys',
  version: 2,
  prefixes: ['signingKey-'],
  collections: [signingKeyRows, listedSigningKeyRows],
  apply: async (event, rows) => {
    const { at } = event.metadata;
    const change = (id: number, changes: Partial<ListedSigningKeyRow>) =>
      rows.update(listedSigningKeyRows, String(id), (row) => ({ ...row, ...changes }));
    const retired = { status: 'retired', sealId: null, retiredAt: at } as const;
    switch (event.type) {
      case 'SigningKeyCreated':
        rows.put(signingKeyRows, { ...activeRow(event.data, at), rotatedAt: null, former: [] });
        rows.put(listedSigningKeyRows, listedRow(event.data, event.position, at));
        return;
      case 'SigningKeyRotated':
        await change(event.data.formerId, { ...retired, supersededAt: at });
        await rows.update(signingKeyRows, String(event.data.appId), ({ former }) => ({
          ...{ ...activeRow(event.data, at), rotatedAt: at, former },
        }));
        rows.put(listedSigningKeyRows, listedRow(event.data, event.position, at));
        return;
      case 'SigningKeyRolledOver':
        await change(event.data.formerId, { status: 'former', supersededAt: at });
        await rows.update(signingKeyRows, String(event.data.appId), ({ number, fingerprint, former }) => ({
          ...{ ...activeRow(event.data, at), rotatedAt: at, former: [...former, { id: number, fingerprint }] },
        }));
        rows.put(listedSigningKeyRows, listedRow(event.data, event.position, at));
        return;
      case 'FormerSigningKeyRetired': {
        const { appId, id } = event.data;
        await change(id, retired);
        return rows.update(signingKeyRows, String(appId), (row) => ({
          ...{ ...row, former: row.former.filter((key) => key.id !== id) },
        }));
      }
      case 'SigningKeyClosed': {
        const { appId } = event.data;
        rows.delete(signingKeyRows, String(appId));
        return rows.deleteWhere(listedSigningKeyRows, { appId });
      }
      default:
        return unknownEvent(event);
    }
  },
};

function activeRow(data: SigningKeyFacts, createdAt: string): Omit<SigningKeyRow, 'rotatedAt' | 'former'> {
  const { id, appId, name, scheme, publicKey, fingerprint, sealId } = data;
  return { id: String(appId), number: id, appId, name, scheme, publicKey, fingerprint, sealId, createdAt };
}

function listedRow(data: SigningKeyFacts, position: string, createdAt: string): ListedSigningKeyRow {
  const { id, appId, name, scheme, publicKey, fingerprint, sealId } = data;
  return {
    ...{ id: String(id), number: id, appId, name, scheme, publicKey, fingerprint, sealId, position, createdAt },
    ...{ status: 'active', supersededAt: null, retiredAt: null },
  };
}
