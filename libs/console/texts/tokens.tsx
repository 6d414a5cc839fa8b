/** The texts of the screen “Access tokens” and its dialogs. */

export const title = 'Access tokens';
export const lead = 'Credentials for CI, scripts and AI agents.';
export const newToken = 'New access token';
export const loading = 'the tokens';
export const noTokens = 'No access tokens yet';
export const firstToken = 'Create a token for your CI, so that it can upload, promote and roll out builds.';

export const name = 'Name';
export const status = 'Status';
export const extraPermissions = 'Extra permissions';
export const noPermissions = 'none';
export const apps = 'Apps';
export const lastUsed = 'Last used';
export const expires = 'Expires';
export const actions = 'Actions';
export const actionsFor = (token: string): string => `Actions for ${token}`;
export const staysRevoked = 'You can’t change a revoked token.';
export const allApps = 'All, including future ones';
export const ownApps = 'Only apps that it creates';
export const unnamedApp = (id: number): string => `app ${id}`;
export const andMore = (names: string, more: number): string => `${names} and ${more} more`;

export const edit = 'Edit';
export const editTitle = (token: string): string => `Edit “${token}”`;
export const save = 'Save';
export const saved = 'Token saved.';
export const create = 'Create token';
export const nameHelp = 'What the token is for, for example your CI. The history shows this name.';
export const permissions = 'Permissions';
export const managePermission =
  'Basic permissions, which every token has: create apps, read its apps, upload, edit, pause, resume, archive, promote and recall builds, change rollouts, and manage API keys, the keystore backup and, unless the settings of an app reserve it for you, the signing key.';
/** Permissions in addition to `manage`: a label, and what the token can do with it. */
export const deleteBuilds = ['Delete builds', 'Permanently delete its apps’ builds.'] as const;
export const deleteApps = ['Delete apps', 'Permanently delete its apps, with all their builds and keys.'] as const;
export const deleteKeys = ['Delete API keys', 'Permanently delete its apps’ API keys.'] as const;
export const manageStore = [
  'Manage listings and ads',
  'Manage the shop’s connection, its feed, its syncs and their settings.',
] as const;

export const access = 'Access';
export const onlySelected = 'Only selected apps';
export const all = 'All apps, including future ones';
export const selected = (count: number): string => `Apps (${count} selected)`;
export const noneSelectedHelp = 'If you select no app, the token can access only apps that it creates.';
export const selectedHelp = 'The token can also access apps that it creates. It can’t see other apps.';
export const loadingApps = 'the apps';
export const noApps = 'There are no apps yet. Choose “All apps, including future ones”, or create an app first.';
export const filter = 'Filter apps';
export const filterHint = 'Part of a name';
export const noMatch = (part: string): string => `No app name or ID contains “${part}”.`;

export const unchanged = (end: string): string => `Unchanged: ${end}`;
export const never = 'never';
export const in30Days = 'In 30 days';
export const in90Days = 'In 90 days';
export const inAYear = 'In one year';
export const onADay = 'On a date…';
export const neverExpires = 'Never';
export const lastDay = 'Expires after';

export const secretOf = (token: string): string => `Token “${token}”`;
export const theToken = 'the token';
export const rotate = 'Rotate';
export const rotateTitle = (token: string): string => `Rotate “${token}”`;
export const rotateEffect = 'The token gets a new value. The current one stops working immediately.';
export const revoke = 'Revoke';
export const revokeTitle = (token: string): string => `Revoke “${token}”`;
export const revokePermanently = 'Revoke permanently';
export const revokeEffect =
  'The token stops working immediately. You can’t restore a revoked token, only create another one.';
export const revoked = 'Token revoked.';

export const inCi = 'Use a token in CI';
export const inCiSteps = (
  <>
    Store the token as a CI secret, never in the repository, and pass it to the job as <code>SLUICE_TOKEN</code>. These
    commands upload the folder <code>www</code>. Replace the app ID and the version with yours:
  </>
);
export const ciCommands = 'the commands for CI';
export const inCiMore = (
  <>
    To upload, promote and roll out from GitHub Actions or another CI, see{' '}
    <a href="/docs/guides/ci">Releasing from CI</a>. The guide also covers the <code>sluice</code> command, which waits
    until the bundle is checked. The <a href="/docs/api/">API reference</a> describes every request that a token can
    make.
  </>
);
