import type { Channel } from '@sluice/kernel';
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
  furtherStreams: (appId) => `${apiKeysStream(appId)}-`,
  appOf: appOfStream,
  subjectOf: ({ stream, data: { id } }) => ({
    subject: 'apiKey',
    ...(typeof id === 'number' && { subjectId: id }),
    ...channelOf(stream),
  }),
  view: ({ name, preview, status, restrictions, platform }) => ({
    name,
    key_preview: preview,
    status,
    restrictions: { ...restrictions },
    ...(platform !== undefined && { platform }),
  }),
});

/** Of keys that belong to a channel, whose name may have hyphens. */
function channelOf(stream: string): { readonly channel?: Channel } {
  const channel = stream.split('-').slice(2).join('-');
  return channel === '' ? {} : { channel };
}
