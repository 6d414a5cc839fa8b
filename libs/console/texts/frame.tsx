/** The texts around every screen: navigation, menu of the owner, live state and upgrade banner. */

export const product = 'Sluice';
export const pageTitle = (screen: string): string => `${screen} · ${product}`;
export const loadingConsole = 'the console';
export const loadingScreen = 'the screen';
export const notLoaded =
  'This page could not be loaded. The server may have been upgraded since you opened the console, or it does not respond.';
export const paletteNotLoaded =
  'The command palette could not be loaded. Reload the page: the server may have been upgraded since you opened it.';
export const reload = 'Reload';

export const skip = 'Skip to content';
export const navigation = 'Console';
export const apps = 'Apps';
export const activity = 'Activity';
export const tokens = 'Access tokens';
export const listings = 'Listings and ads';

export const connecting = 'Connecting';
export const live = 'Connected';
export const reconnecting = 'Reconnecting';

export const owner = 'Owner';
export const account = 'Account and installation';
export const systemTheme = 'System';
export const lightTheme = 'Light';
export const darkTheme = 'Dark';
export const signOut = 'Sign out';

export const upgrade = 'Upgrade';
export const upgradeUnfinished = (
  <>
    <strong>The upgrade is not finished.</strong> When every replica runs this release, run{' '}
    <code>sluice upgrade finish</code>. Until then, features that earlier releases don’t support are off.
  </>
);
export const blockingReplicas = (count: number): string =>
  count === 1 ? '1 replica does not run this release yet' : `${count} replicas do not run this release yet`;
export const blockingReplica = (service: string, name: string | null): string =>
  `${service}: ${name ?? 'no replica responds'}`;
