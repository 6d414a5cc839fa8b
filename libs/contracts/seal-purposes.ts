import type { DataKeyName } from './keys';
import { LISTING_SECRETS } from './listings';

const dataKeys = (...names: readonly DataKeyName[]) => names.map((name) => `data-key:${name}`);

/**
 * By service, the purposes of the secrets that it seals and opens: the keys that its SEAL_KEYS must hold. keys is not
 * among them: it seals the secrets of every service again, which takes MASTER_KEY.
 */
export const SEAL_PURPOSES: Readonly<Record<string, readonly string[]>> = {
  gateway: dataKeys('sessions'),
  registry: ['shown'],
  'device-updates': dataKeys('download-url', 'device-id'),
  'merchant-sync': [...dataKeys('oauth-verifiers'), ...LISTING_SECRETS],
};
