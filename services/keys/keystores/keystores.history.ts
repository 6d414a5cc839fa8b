import { historyPart } from '@sluice/history';
import { keystoreStream } from './domain/keystore';
import { appOfStream } from '../domain/app-of-stream';
import { keystoreRows, keystoresProjection } from './keystores.projection';

/** What happened to the backup of an app's keystore. */
export const keystoresPart = historyPart({
  projection: keystoresProjection,
  collection: keystoreRows,
  streams: (appId) => [keystoreStream(appId)],
  appOf: appOfStream,
  subjectOf: () => ({ subject: 'keystore' }),
  view: ({ originalName, size, sha256, uploadedAt }) => ({
    original_name: originalName,
    size_bytes: size,
    sha256,
    uploaded_at: uploadedAt,
  }),
});
