import { keysHistory } from '@sluice/contracts';
import { defineHistory } from '@sluice/history';
import { keystoreStream } from '../domain/keystore';
import { keystoreRows, keystoresProjection } from './keystores.projection';

/** What happened to the backup of an app's keystore. */
export const keystoresHistory = defineHistory({
  calls: keysHistory,
  projection: keystoresProjection,
  collection: keystoreRows,
  streams: (appId) => [keystoreStream(appId)],
  subject: () => ({}),
  view: ({ originalName, size, sha256, uploadedAt }) => ({
    original_name: originalName,
    size_bytes: size,
    sha256,
    uploaded_at: uploadedAt,
  }),
});
