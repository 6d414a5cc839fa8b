import type { Permission } from '@sluice/contracts';
import * as texts from '../../texts/tokens';

/** What can be given to a token in addition to `manage`, which every token has: its label, and what the token can do with it. */
const OF_APPS: readonly (readonly [Permission, label: string, help: string])[] = [
  ['builds.delete', ...texts.deleteBuilds],
  ['apps.delete', ...texts.deleteApps],
  ['keys.delete', ...texts.deleteKeys],
];
const OF_THE_STORE: typeof OF_APPS = [['manage_store', ...texts.manageStore]];

/** The label of a permission. */
export const permissionLabel = (permission: Permission): string =>
  [...OF_APPS, ...OF_THE_STORE].find(([each]) => each === permission)?.[1] ?? permission;

/** The permissions that this owner can give. */
export function givenPermissions(isOperator: boolean): typeof OF_APPS {
  return isOperator ? [...OF_APPS, ...OF_THE_STORE] : OF_APPS;
}
