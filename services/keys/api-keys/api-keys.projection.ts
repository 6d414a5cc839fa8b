import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { ApiKeyEvent, ApiKeyState } from './domain/api-keys';

export interface ApiKeyRow extends Row, Omit<ApiKeyState, 'id' | 'channel'> {
  /** The key's integer id, which `id` spells. */
  readonly number: number;
  /** The id of the channel that it belongs to; empty: none. */
  readonly channel: string;
}

export const apiKeyRows: Collection<ApiKeyRow> = {
  name: 'apiKeys',
  indexes: [{ fields: ['appId', 'channel', 'number'] }, { fields: ['sealId'] }],
};

export const apiKeysProjection: Projection<ApiKeyEvent> = {
  name: 'apiKeys',
  version: 4,
  prefixes: ['apiKeys-'],
  collections: [apiKeyRows],
  apply: (event, rows) => {
    if (event.type === 'ApiKeysClosed') return;
    const change = (changes: Partial<ApiKeyRow>) =>
      rows.update(apiKeyRows, String(event.data.id), (row) => ({ ...row, ...changes, revision: row.revision + 1 }));
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { id, appId, name, preview, sealId, channel = '', platform } = event.data;
        rows.put(apiKeyRows, {
          id: String(id),
          number: id,
          appId,
          name,
          preview,
          sealId,
          channel,
          ...(platform !== undefined && { platform }),
          revision: 1,
          status: 'active',
          restrictions: {},
          createdAt: event.metadata.at,
          rotatedAt: null,
        });
        return;
      }
      case 'ApiKeyRotated': {
        const { preview, sealId } = event.data;
        return change({ preview, sealId, rotatedAt: event.metadata.at });
      }
      case 'ApiKeyRestricted':
        return change({ restrictions: event.data.restrictions });
      case 'ApiKeyDeprecated':
        return change({ status: 'deprecated' });
      case 'ApiKeyRevoked':
        return change({ status: 'revoked', sealId: null });
      case 'ApiKeyDeleted':
        rows.delete(apiKeyRows, String(event.data.id));
        return;
      default:
        return unknownEvent(event);
    }
  },
};
