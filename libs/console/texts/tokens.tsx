/** The texts of the screen “Access tokens” and its dialogs. */

export const title = 'Access tokens';
export const lead = 'Credentials for CI, scripts and agents.';
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
  'Every token can read its apps, upload, publish and promote builds, change rollouts, and manage API keys, the signing key and the keystore backup.';
export const deleteBuilds = 'Delete builds of its apps permanently.';
export const deleteApps = 'Delete its apps permanently, with all their builds and keys.';
export const deleteKeys = 'Delete API keys of its apps permanently.';
export const manageStore = 'Manage listings and ads: connection, feed, sync and settings of the shop.';

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
export const onADay = 'On a date …';
export const neverExpires = 'Never';
export const lastDay = 'Last day';

export const secretOf = (token: string): string => `Secret of “${token}”`;
export const theToken = 'the token';
export const rotate = 'Rotate';
export const rotateTitle = (token: string): string => `Rotate “${token}”`;
export const rotateEffect = 'The token gets a new secret. The current one stops working immediately.';
export const revoke = 'Revoke';
export const revokeTitle = (token: string): string => `Revoke “${token}”`;
export const revokePermanently = 'Revoke permanently';
export const revokeEffect =
  'The token stops working immediately. You can’t restore a revoked token, only create another one.';
export const revoked = 'Token revoked.';

export const inCi = 'Use a token in CI';
export const inCiSteps = (
  <>
    Store the token as a secret of your CI, never in a repository, and pass it to the job as <code>SLUICE_TOKEN</code>.
    These commands upload the folder <code>www</code>:
  </>
);
export const ciCommands = 'the commands for CI';
export const inCiMore = (
  <>
    For complete releases with GitHub Actions or another CI, see <code>docs/guides/ci.md</code> in the source. It also
    covers the command <code>sluice</code>, which waits until the bundle is checked. The{' '}
    <a href="/docs/api/">API reference</a> describes every request that a token can make.
  </>
);
