/** The texts of the settings of an app. */
import { counted } from './shared';

export const identity = 'Identity';
export const appId = 'App ID';
export const theAppId = 'the app ID';
export const number = 'Numeric ID';
export const bundleId = 'Bundle ID';
export const appIdAndBundleId = 'App ID and bundle ID';
export const none = 'none';
export const created = 'Created';

export const nameOf = (app: string): string => `The app ${app}`;
export const descriptionName = 'Description';

export const nameAndPlatform = 'Name and platform';
export const name = 'Name';
export const platform = 'Platform';
export const platformHelp =
  'If you choose iOS or Android, devices of the other platform don’t get this app’s builds. Web clients always get them.';
export const description = 'Description (optional)';
export const save = 'Save';
export const saved = 'Settings saved.';

export const signatures = 'Signatures';
export const saveSignatures = 'Save signature settings';
export const keyManagers = 'Who can create, rotate and retire signing keys';
export const anyToken = 'You and all access tokens for this app';
export const ownerOnly = 'Only you';
export const uniqueSignatures = 'Accept each signature for one version only';
export const uniqueSignaturesHelp =
  'Rejects an upload whose signature another version already has. This prevents an old signed bundle from being uploaded as a new version.';

export const oldBuilds = 'Old builds';
export const saveRetention = 'Save retention settings';
export const keep = 'Builds to keep in each channel';
export const keepHelp =
  'Builds that are offered to devices are always kept, and so are builds that changed within the last day.';
export const newest = (count: number): string =>
  count === 0 ? 'all builds' : count === 1 ? 'only the newest build' : `the newest ${count} builds`;
export const ofInstallation = 'Server default';
export const ofInstallationNow = (kept: string): string => `Server default: ${kept}`;
export const keepAll = 'All builds';
export const keepNewest = 'The newest builds';
export const howMany = 'How many';
export const loadingDue = 'the builds to delete';
export const noneDue = 'No build is due for deletion.';
export const due = (total: number, freed: string): string =>
  `With these settings, ${counted(total, 'build', 'builds')} will be permanently deleted within the hour, which frees ${freed}:`;
export const dueLabel = 'Builds that will be deleted';
export const version = 'Version';
export const build = 'Build';
export const channel = 'Channel';
export const size = 'Size';
export const firstShown = (count: number): string => `Only the first ${count.toLocaleString()} are shown.`;

export const deleteSection = 'Delete this app';
export const deleteHelp =
  'Permanently deletes the builds, bundles, API keys, signing keys and keystore backup of this app. Devices keep the bundle that they run, and get no more updates. Only the history of the app is kept.';
export const deleteApp = 'Delete this app…';
export const deleteTitle = (app: string): string => `Delete ${app}?`;
export const deletePermanently = 'Delete permanently';
export const deleteEffect = (app: string): string =>
  `You can’t undo this. All builds, bundles, API keys, signing keys and the keystore backup of ${app} are deleted, and installed apps get no more updates.`;
export const deleted = (app: string): string => `${app} deleted.`;
