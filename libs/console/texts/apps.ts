/** The texts of the screen “Apps”, and of the dialog that creates an app. */
import { build, counted } from './shared';

export const title = 'Apps';
export const toApps = 'Back to apps';
export const newApp = 'New app';
export const loading = 'the apps';
export const noApps = 'No apps yet';
export const firstApp =
  'An app is what your users install, for example from an app store. Each app has its own builds, channels and API keys. After you create it, the console shows the next steps.';
export const createFirst = 'Create your first app';

export const find = 'Find an app by name or ID';
export const findHint = 'Find by name or ID';
export const total = (count: number): string => counted(count, 'app', 'apps');
export const foundOf = (found: number, count: number): string =>
  `${found.toLocaleString()} of ${counted(count, 'app', 'apps')}`;
export const loadingMore = ' · loading more…';
export const noMatch = 'No matching apps';
export const noMatchFor = (wanted: string): string => `No app name or ID contains “${wanted}”.`;
export const showAll = 'Show all';

export const app = 'App';
export const devices = 'Active devices';
export const attention = 'Needs attention';
export const none = '–';
export const noWarnings = 'Nothing needs attention.';
export const unavailable = 'unavailable';
export const channels = 'Channels';
export const further = (count: number): string => `${count.toLocaleString()} more`;
export const notServing = 'no active build';
export const mandatory = 'Mandatory';
export const today = (count: number): string => `${count.toLocaleString()} today`;
export const yesterday = (count: number): string => `${count.toLocaleString()} yesterday`;

export const failedInstalls = (count: number): string =>
  `${counted(count, 'failed install', 'failed installs')} since yesterday`;
export const rollbacks = (count: number): string => `${counted(count, 'rollback', 'rollbacks')} since yesterday`;
export const failedBuilds = (count: number): string => counted(count, 'failed build', 'failed builds');
const MAX_REASON = 60;
export const recalled = (of: Parameters<typeof build>[0], reason: string): string =>
  `${build(of)} recalled: ${reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON).trimEnd()}…` : reason}`;
export const blockedRequests = (count: number): string =>
  counted(count, 'request', 'requests') + ' blocked by API keys';
export const checkedBuilds = (count: number): string => counted(count, 'build being checked', 'builds being checked');

export const create = 'Create app';
export const name = 'Name';
export const platform = 'Platform';
export const bundleId = 'Bundle ID (optional)';
export const bundleIdExample = 'com.example.shop';
export const bundleIdHelp =
  'The iOS bundle ID or Android package name. It becomes the app ID in Sluice. Without one, Sluice makes the app ID from the name, for example app.trail-map. You can’t change it later.';
export const description = 'Description (optional)';

export const deletedApps = 'Deleted apps';
export const loadingDeleted = 'the deleted apps';
export const noDeleted = 'No deleted apps';
export const deleted = 'Deleted';
export const history = 'History';
export const historyOf = (appName: string): string => `History of ${appName}`;
