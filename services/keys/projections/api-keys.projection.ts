import type { Collection, Projection, Row } from '@sluice/document-store';
import { unknownEvent } from '@sluice/kernel';
import type { ApiKeyEvent, ApiKeyState } from '../domain/api-keys';

export interface ApiKeyRow extends Row, Omit<ApiKeyState, 'id'> {
  /** The key's integer id, which `id` spells. */
  readonly number: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

export const apiKeyRows: Collection<ApiKeyRow> = {
  name: 'apiKeys',
  indexes: [{ fields: ['appId', 'number'] }, { fields: ['sealId'] }],
};

export const apiKeysProjection: Projection<ApiKeyEvent> = {
  name: 'apiKeys',
  version: 1,
  prefixes: ['apiKeys-'],
  collections: [apiKeyRows],
  apply: (event, rows) => {
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { id, appId, name, preview, sealId } = event.data;
        rows.put<ApiKeyRow>(apiKeyRows, {
          id: String(id),
          number: id,
          appId,
          name,
          preview,
          sealId,
          status: 'active',
          createdAt: event.metadata.at,
        });
        return;
      }
      case 'ApiKeyRevoked':
        return rows.update<ApiKeyRow>(apiKeyRows, String(event.data.id), (row) => ({ ...row, status: 'revoked' }));
      default:
        return unknownEvent(event);
    }
  },
};
