import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { Reach, TokenEvent, TokenGrant } from './domain/token';

export interface TokenRow extends Row, Omit<TokenGrant, 'id'>, Reach {
  /** The token's integer id, which `id` spells. */
  readonly number: number;
  readonly revoked: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

export const tokenRows: Collection<TokenRow> = { name: 'tokens', indexes: [{ fields: ['ownerId', 'number'] }] };

export const tokensProjection: Projection<TokenEvent> = {
  name: 'tokens',
  version: 2,
  prefixes: ['token-'],
  collections: [tokenRows],
  apply: (event, rows) => {
    switch (event.type) {
      case 'TokenIssued': {
        const { id, ownerId, name, permissions, allApps, apps, expiresAt } = event.data;
        rows.put(tokenRows, {
          id: String(id),
          number: id,
          ownerId,
          name,
          permissions,
          allApps,
          apps,
          ownAppsAfter: 0,
          expiresAt,
          revoked: false,
          createdAt: event.metadata.at,
        });
        return;
      }
      case 'TokenEdited': {
        const { id, ...edited } = event.data;
        return rows.update(tokenRows, String(id), (row) => ({ ...row, ...edited }));
      }
      case 'TokenRotated':
        return;
      case 'TokenRevoked':
        return rows.update(tokenRows, String(event.data.id), (row) => ({ ...row, revoked: true }));
      default:
        return unknownEvent(event);
    }
  },
};
