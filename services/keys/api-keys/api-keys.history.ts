import { historyPart } from '@sluice/history';
import { apiKeysStream } from './domain/api-keys';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';
import { appOfStream } from '../domain/app-of-stream';

/** What happened to an app's API keys. */
export const apiKeysPart = historyPart({
  projection: apiKeysProjection,
  collection: apiKeyRows,
  putsNewRows: true,
  streams: (appId) => [apiKeysStream(appId)],
  appOf: appOfStream,
  subjectOf: ({ data: { id } }) => ({ subject: 'apiKey', ...(typeof id === 'number' && { subjectId: id }) }),
  view: ({ name, preview, status, restrictions }) => ({
    name,
    key_preview: preview,
    status,
    restrictions: { ...restrictions },
  }),
});
