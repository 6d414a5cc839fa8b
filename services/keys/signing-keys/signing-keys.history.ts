import { historyPart } from '@sluice/history';
import { signingKeyStream } from './domain/signing-key';
import { appOfStream } from '../domain/app-of-stream';
import { signingKeyRows, signingKeysProjection } from './signing-keys.projection';

/**
 * What happened to an app's signing keys. A rotation has the former public key and its fingerprint in `before`, the new
 * ones in `after`; `former_keys` are those that still signed.
 */
export const signingKeysPart = historyPart({
  projection: signingKeysProjection,
  collection: signingKeyRows,
  streams: (appId) => [signingKeyStream(appId)],
  appOf: appOfStream,
  subjectOf: ({ data: { id } }) => ({ subject: 'signingKey', ...(typeof id === 'number' && { subjectId: id }) }),
  view: ({ number, name, scheme, publicKey, fingerprint, former }) => ({
    id: number,
    name,
    scheme,
    fingerprint,
    public_key: publicKey,
    former_keys: former.map((key) => ({ id: key.id, fingerprint: key.fingerprint })),
  }),
});
