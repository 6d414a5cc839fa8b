import { keysHistory } from '@sluice/contracts';
import { defineHistory } from '@sluice/history';
import { apiKeysStream } from '../domain/api-keys';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';

/** What happened to an app's API keys. */
export const apiKeysHistory = defineHistory({
  calls: keysHistory,
  projection: apiKeysProjection,
  collection: apiKeyRows,
  streams: (appId) => [apiKeysStream(appId)],
  subject: ({ data: { id } }) => (typeof id === 'number' ? { keyId: id } : {}),
  view: ({ name, preview, status, restrictions }) => ({
    name,
    key_preview: preview,
    status,
    restrictions: { ...restrictions },
  }),
});
