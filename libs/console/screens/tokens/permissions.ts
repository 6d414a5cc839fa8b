import type { Permission } from '@sluice/contracts';

/** What can be given to a token beside `manage`, which every token has, and what it lets the token do. */
const OF_APPS: readonly (readonly [Permission, string])[] = [
  ['builds.delete', 'Delete builds of its apps permanently.'],
  ['apps.delete', 'Delete its apps permanently, with all their builds and keys.'],
  ['keys.delete', 'Delete API keys of its apps permanently.'],
];
const OF_THE_STORE: typeof OF_APPS = [
  ['manage_store', 'Work with listings and ads: connection, feed, sync and settings of the store.'],
];

/** The permissions that this owner can give. */
export function givenPermissions(isOperator: boolean): typeof OF_APPS {
  return isOperator ? [...OF_APPS, ...OF_THE_STORE] : OF_APPS;
}

export const MANAGE_WORDS =
  'Every token may read its apps, upload, publish and promote builds, steer rollouts, and manage API keys, the signing key and the keystore backup.';
