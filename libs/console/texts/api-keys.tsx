/** The texts of the screen “API keys” and its dialogs. */
import type { ReactNode } from 'react';
import { counted } from './shared';

export const title = 'API keys';
export const lead =
  'Your app sends an API key with every update check. Anyone can read the key from your app, so restrict it to your own apps and web pages. This prevents accidental use but does not stop attackers, so sign your bundles too.';
export const activeKeys = (active: number, limit: number): string =>
  `${active} of ${counted(limit, 'active key', 'active keys')}. Deprecated keys still work and don’t count toward this limit.`;
export const newKey = 'New API key';
export const loading = 'the API keys';
export const noKeys = 'No API key yet';
export const firstKey = 'Devices need an API key to get updates. Create one and add it to your app.';

export const nameOf = (key: string): string => `The key “${key}”`;
export const none = 'none';
export const status = 'State';
export const theSecret = 'Key';
/** Such as `com.example.shop (ABCDE12345)`. */
export const withDetails = (of: string, details: readonly string[]): string =>
  details.length === 0 ? of : `${of} (${details.join(', ')})`;

export const actionsFor = (key: string): string => `Actions for ${key}`;
export const staysRevoked = 'You can’t change a revoked key.';
export const notStored = 'The key is not stored, so it can’t be shown. Rotate it to get a new one.';
export const alreadyDeprecated = 'It is already deprecated.';
export const lastUsed = 'Last used';
export const created = 'Created';
export const rotated = 'Rotated';
/** Such as `Only 2 web origins and 1 Android app, for the channel beta`. */
export const callers = (origins: number, androidApps: number, iosApps: number, channels: readonly string[]): string => {
  const parts = [
    origins > 0 ? counted(origins, 'web origin', 'web origins') : [],
    androidApps > 0 ? counted(androidApps, 'Android app', 'Android apps') : [],
    iosApps > 0 ? counted(iosApps, 'iOS app', 'iOS apps') : [],
  ].flat();
  const where = `${channels.length === 1 ? 'the channel' : 'the channels'} ${list.format(channels)}`;
  if (parts.length > 0) return `Only ${list.format(parts)}${channels.length > 0 ? `, for ${where}` : ''}`;
  return channels.length > 0
    ? `Any app or web page, but only for ${where}`
    : 'None: any app or web page can use the key, for every channel';
};
const list = new Intl.ListFormat('en');
export const noneBlocked = 'No blocked requests.';
export const blocked = (count: number, last: ReactNode, reason: string): ReactNode => (
  <>
    {counted(count, 'blocked request', 'blocked requests')}, the last {last}: {reason}.
  </>
);
export const unknownReason = 'the reason was not recorded';
/** By `last_blocked_reason` of an API key. */
export const blockedReasons: Readonly<Record<string, string>> = {
  origin_not_allowed: 'the origin of the web page is not allowed',
  android_app_not_allowed: 'the Android app or its signing certificate is not allowed',
  ios_app_not_allowed: 'the iOS app is not allowed',
  no_identity: 'the request has no origin, package name or bundle ID',
  channel_not_allowed: 'the key is restricted to other channels',
};

export const channelKeys = 'Keys of channels';
export const channelKeysHelp =
  'A key that belongs to a channel gets only builds of this channel. An imported key was taken over from another update service, so installed apps keep it.';
export const imported = 'Imported';
export const key = 'Key';
export const channel = 'Channel';
export const platform = 'Platform';
export const anyPlatform = 'Sent by the device';
export const state = 'State';

export const theKey = 'the key';
export const keyTitle = (key: string): string => `API key “${key}”`;
export const newKeyTitle = (key: string): string => `New API key “${key}”`;
export const useKey = (
  <>
    Add it to your app, which sends it as <code>X-API-Key</code> with every update check. To try it, send an update
    check as a device with version 0.0.1:
  </>
);
export const firstCheck = 'the update check';

export const name = 'Name';
export const nameHelp = 'Where the key is used, for example “iOS and Android” or “Web preview”.';
export const create = 'Create key';
export const limitReached = (limit: number): string =>
  `An app can have ${counted(limit, 'active key', 'active keys')}. Deprecate one first. It keeps working, and no longer counts as an active key.`;

export const show = 'Show key';
export const showTitle = (key: string): string => `Show “${key}”`;
export const showEffect = (perHour: number | undefined): string =>
  `The complete key is shown on your screen.${perHour === undefined ? '' : ` You can show or rotate a key at most ${counted(perHour, 'time', 'times')} per hour.`}`;
export const rotate = 'Rotate';
export const rotateTitle = (key: string): string => `Rotate “${key}”`;
export const rotateEffect = (inUse: ReactNode): ReactNode => (
  <>The current key stops working immediately. Apps that use it get no updates until you ship the new key. {inUse}</>
);
export const rotateLater =
  'To change the key without an interruption, create another key and ship it. Then deprecate this key, and revoke it later.';
export const deprecate = 'Deprecate';
export const deprecateTitle = (key: string): string => `Deprecate “${key}”`;
export const deprecateEffect = 'It keeps working, and no longer counts as an active key. You can’t undo this.';
export const deprecated = 'Key deprecated.';
export const revoke = 'Revoke';
export const revokeTitle = (key: string): string => `Revoke “${key}”`;
export const revokePermanently = 'Revoke permanently';
export const revokeEffect = (inUse: ReactNode): ReactNode => (
  <>
    The key stops working immediately, and devices whose app contains it get no updates. You can’t restore a revoked
    key. {inUse}
  </>
);
export const revoked = 'Key revoked.';
export const deleteKey = 'Delete';
export const deleteTitle = (key: string): string => `Delete “${key}”`;
export const deletePermanently = 'Delete permanently';
export const deleteEffect = (inUse: ReactNode): ReactNode => (
  <>
    The key stops working immediately, and devices whose app contains it get no updates. It is removed from this list.
    The history still shows it. {inUse}
  </>
);
export const deleted = 'Key deleted.';
export const notUsed = 'No device has used it yet.';
export const inUse = (last: ReactNode): ReactNode => <strong>The key is in use. A device used it {last}.</strong>;

export const restrictions = 'Restrictions';
export const restrictionsTitle = (key: string): string => `Restrictions of “${key}”`;
export const save = 'Save';
export const saved = (key: string): string => `Restrictions of “${key}” saved.`;
export const anyCaller = 'No restrictions: any app or web page can use the key, for every channel.';
/** `callers`: some are listed, not only channels. */
export const onlyListed = (callers: boolean, inUse: ReactNode): ReactNode => (
  <>
    {callers ? 'Only the callers below can use the key.' : 'The key is valid only for the channels below.'} All other
    requests are blocked and counted, and they get no updates. {inUse}
  </>
);
export const notSecurity =
  'Restrictions do not stop attackers: outside a browser, a caller can send any origin, package name, bundle ID or fingerprint. Sign your bundles to protect what devices install.';
export const webPages = 'Web origins';
export const webPagesHelp =
  'One origin per line, for example https://app.example.com or https://*.example.com. http:// is allowed only for local hosts.';
export const androidApps = {
  label: 'Android apps',
  help: 'Without fingerprints, any app with this package name is allowed, whatever its signing certificate.',
  nth: (number: number): string => `Android app ${number}`,
  add: 'Add an Android app',
  remove: (packageName: string): string => `Remove ${packageName || 'this Android app'}`,
};
export const packageName = 'Package name';
export const idExample = 'com.example.shop';
export const sha256 = 'SHA-256 fingerprints of the signing certificate, one per line';
export const sha1 = 'SHA-1 fingerprints, one per line';
export const iosApps = {
  label: 'iOS apps',
  help: undefined,
  nth: (number: number): string => `iOS app ${number}`,
  add: 'Add an iOS app',
  remove: (bundle: string): string => `Remove ${bundle || 'this iOS app'}`,
};
export const bundleId = 'Bundle ID';
export const teamId = 'Team ID (optional)';
export const teamIdExample = 'ABCDE12345';
export const channels = 'Channels';
export const channelsHelp =
  'One name per line, for example production. Without a name, the key is for every channel. With exactly one, devices that name no channel get the builds of that one.';
export const faultOfEntry = (number: number, fault: string): string => `Entry ${number}: ${fault}`;
