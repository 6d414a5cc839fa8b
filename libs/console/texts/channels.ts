/** The texts of channels: their columns, the dialogs that add, change and delete one, and the list of previews. */
import { counted } from './shared';

export const add = 'Add channel…';
export const actionsFor = (channel: string): string => `Actions for the channel ${channel}`;
export const collapse = 'Collapse';
export const expand = 'Expand';
export const expandChannel = (channel: string): string => `Expand ${channel}`;
export const moveBefore = (other: string): string => `Move before ${other}`;
export const moveAfter = (other: string): string => `Move after ${other}`;
export const moved = (channel: string): string => `${channel} moved.`;
export const change = 'Edit channel…';
export const remove = 'Delete channel…';
/** Of the clients of other update services. */
export const aliases = (names: readonly string[]): string =>
  `Update clients also get it as ${new Intl.ListFormat('en').format(names.map((name) => `“${name}”`))}.`;
/** Of the channels without a column. */
export const further = (count: number): string =>
  `${counted(count, 'further channel has', 'further channels have')} no column. “Builds” lists the builds of every channel.`;

export const addTitle = 'Add a channel';
export const addHelp =
  'Every app has production, staging and development. Devices get the builds of another channel when they name it in their update checks, or when their API key belongs to it.';
export const name = 'Name';
export const nameExample = 'beta';
export const nameHelp = 'Lower-case letters, digits and hyphens. You can’t change it later.';
export const expires = 'Expires';
export const never = 'Never';
export const lifetimes: readonly (readonly [days: string, name: string])[] = [
  ['', never],
  ['1', 'In 1 day'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
];
export const expiresHelp =
  'Then the channel is deleted, with its builds and keys. A channel that expires is listed under “Previews” and has no column.';
export const selfAssign = 'Devices may choose it';
export const selfAssignHelp =
  'For example in the settings of your app. Without it, a device can’t move itself to this channel.';
export const addVerb = 'Add channel';
export const added = (channel: string): string => `Channel ${channel} added.`;

export const nameOf = (channel: string): string => `The channel ${channel}`;
export const neverExpires = 'never';

export const changeTitle = (channel: string): string => `Edit the channel ${channel}`;
export const asBefore = 'Unchanged';
export const save = 'Save';
export const saved = (channel: string): string => `Channel ${channel} saved.`;

export const removeTitle = (channel: string): string => `Delete the channel ${channel}?`;
export const removeEffect =
  'You can’t undo this. The builds and keys of the channel are deleted. Devices that check for updates in it get none. For 30 days, the response says that the channel is closed.';
export const removeVerb = 'Delete permanently';
export const removed = (channel: string): string => `Channel ${channel} deleted.`;

export const previews = 'Previews';
export const previewsHelp =
  'Channels that expire, for example one for each pull request. “sluice preview create” makes one with a key of its own.';
export const loadingPreviews = 'the previews';
export const channel = 'Channel';
export const newestBuild = 'Newest build';
export const age = 'Created';
export const actions = 'Actions';
export const upload = 'Upload…';
export const showLink = 'Show link and QR code…';
export const keyName = (channelName: string): string => `preview ${channelName}`;
export const opensApp = 'sluice://preview';
export const linkTitle = (channelName: string): string => `Link of ${channelName}`;
export const theLink = 'the link';
export const qrCode = 'QR code of the link';
export const tryOut = 'Try it on a phone';
/** The channel of the preview of a build. */
export const previewOf = (build: number): string => `build-${build}`;
export const tryTitle = (version: string): string => `Try ${version} on a phone`;
export const tryHelp = (version: string): string =>
  `Scan the code with a phone that has your app. The app runs ${version} if that is newer than the version inside the native app.`;
export const needsCode =
  'An app opens the preview only with code that reads the link, and only on devices that can reach the server.';
export const guide = 'Guide';
export const loopback = (server: string): string =>
  `${server} is the address of this computer. Other devices can’t reach it: set PUBLIC_URL to an address that they can.`;
export const emptyPreview = (channelName: string): string =>
  `${channelName} offers no build yet. Upload one, or promote one to it.`;
export const holdsKey =
  'The link contains an API key that works only for this channel and is deleted with it. Everyone who has the link can download the preview.';
export const makesKey =
  'Creates an API key that works only for this channel and is deleted with it, unless it has one.';
export const otherUrl = `If your app opens with another URL than ${opensApp}, run this with an access token in SLUICE_TOKEN:`;
export const theCommand = 'the command';
export const showCommand = (app: number, channelName: string): string =>
  `sluice preview show ${channelName} --app ${app} --open ADDRESS`;
/** In the command palette. */
export const create = 'Create a preview…';
