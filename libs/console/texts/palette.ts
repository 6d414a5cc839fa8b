/** The texts of the command palette, and of the keys. */

export const title = 'Find or do something';
export const open = 'Find…';
/** Where the browser has no other name for the key. */
export const openKeys = (isMac: boolean): string => (isMac ? '⌘K' : 'Ctrl K');
export const hint = 'Find an app, version, screen or action';
export const results = 'Results';
export const found = (count: number): string => (count === 1 ? '1 result' : `${count.toLocaleString()} results`);
export const cut = (shown: number, all: number): string => `The first ${shown} of ${all.toLocaleString()} results`;
export const none = (wanted: string): string => `Nothing matches “${wanted}”.`;
export const incomplete = 'Some results are missing, because the server does not respond.';
export const help = '↑ ↓ choose · Enter opens · Esc closes';

export const kinds = { action: 'Action', build: 'Build', channel: 'Channel', app: 'App', screen: 'Screen' } as const;

export const upload = (channel: string): string => `Upload a build to ${channel}…`;
export const addChannel = 'Add a channel…';
export const createKey = 'Create an API key…';
export const createToken = 'Create an access token…';
export const newApp = 'Create an app…';
export const channel = (name: string): string => `Builds in ${name}`;
/** `act`: an entry of its menu, such as “Promote…”. */
export const onBuild = (act: string, build: string): string =>
  act.endsWith('…') ? `${act.slice(0, -1)} ${build}…` : `${act} ${build}`;
/** `act`: “Try it on a phone”. */
export const tryBuild = (act: string, build: string): string => `${build}: ${act}`;
export const theme = (name: string): string => `Theme: ${name}`;
/** Other words for the actions on builds, which people know from other servers. */
export const otherWords: Readonly<Record<string, string>> = {
  try: 'preview qr code',
  recall: 'roll back rollback revert undo',
  rollout: 'percentage increase',
  promote: 'release publish',
  halt: 'stop freeze',
  pause: 'stop disable',
  resume: 'start enable',
};

export const shortcuts = 'Keyboard shortcuts';
export const shortcutsHelp =
  'Keys without Ctrl or ⌘ do nothing while you type in a field. Account and installation turns them off.';
export const areOff = 'Keys without Ctrl or ⌘ are turned off in Account and installation.';
export const then = ' then ';
export const keyPalette = 'Open the command palette';
export const keyHelp = 'Show the keyboard shortcuts';
export const keyFind = 'Find on this screen, or open the command palette';
export const keyUpload = 'Upload a build to this app';
export const goTo = (name: string): string => `Go to ${name}`;
export const ofApp = (name: string): string => `Go to ${name} of this app`;

export const singleKeys = 'Use keyboard shortcuts of one key';
export const singleKeysHelp = 'Such as u to upload, and g r for Releases. ? lists them. Ctrl K or ⌘ K always works.';
export const preferences = 'Preferences of this browser';
export const paletteKeys = [
  [['Ctrl K'], keyPalette],
  [['⌘ K'], `${keyPalette}, on a Mac`],
] as const;
