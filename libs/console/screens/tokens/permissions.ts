import type { Permission } from '@sluice/contracts';
import * as texts from '../../texts/tokens';

/** What can be given to a token in addition to `manage`, which every token has, and what it lets the token do. */
const OF_APPS: readonly (readonly [Permission, string])[] = [
  ['builds.delete', texts.deleteBuilds],
  ['apps.delete', texts.deleteApps],
  ['keys.delete', texts.deleteKeys],
];
const OF_THE_STORE: typeof OF_APPS = [['manage_store', texts.manageStore]];

/** The permissions that this owner can give. */
export function givenPermissions(isOperator: boolean): typeof OF_APPS {
  return isOperator ? [...OF_APPS, ...OF_THE_STORE] : OF_APPS;
}
