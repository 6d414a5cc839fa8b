import { keysHistory } from '@sluice/contracts';
import { defineHistory } from '@sluice/history';
import { signingKeyStream } from '../domain/signing-key';
import { signingKeyRows, signingKeysProjection } from './signing-keys.projection';

/**
 * What happened to an app's signing keys. A rotation tells the former public key and its fingerprint before, the new
 * ones after; `former_keys` are those that still signed. `key_id` stays null: it names API keys.
 */
export const signingKeysHistory = defineHistory({
  calls: keysHistory,
  projection: signingKeysProjection,
  collection: signingKeyRows,
  streams: (appId) => [signingKeyStream(appId)],
  subject: () => ({}),
  view: ({ number, name, scheme, publicKey, fingerprint, former }) => ({
    id: number,
    name,
    scheme,
    fingerprint,
    public_key: publicKey,
    former_keys: former.map((key) => ({ id: key.id, fingerprint: key.fingerprint })),
  }),
});
