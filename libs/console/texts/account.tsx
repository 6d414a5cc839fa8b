/** The texts of the screen “Account and installation”, but for the findings of its health checks. */

export const title = 'Account and installation';
export const tabs = 'Account';
export const you = 'Your account';
export const settings = 'Settings';
export const health = 'Health';
export const owners = 'Owners';
export const readModels = 'Read models';

export const loadingYou = 'your account';
export const name = 'Name';
export const number = 'Owner ID';
export const role = 'Role';
export const operator = 'Operator of this installation';
export const ownerOfApps = 'Owner of apps';
export const created = 'Created';
export const storage = 'Bundle storage';
export const loadingStorage = '…';
export const used = (bytes: string, limit: string): string => `${bytes} of ${limit}`;
export const keyRotated = 'Key rotated';
export const sessionEnds = 'Session expires';
export const ifIdle = ' if idle';
export const rotateYourKey = 'Rotate your owner key';
export const createKey = 'Rotate key';
export const yourNewKey = 'Your new owner key';
export const ownerKey = 'the owner key';
export const afterRotation = (
  <>
    Sign in with this key. If you are the operator and the server is started with <code>OWNER_KEY</code>, change that
    variable to the new key before the next start. Without <code>OWNER_KEY</code>, the operator’s new key is also in{' '}
    <code>owner.key</code> in the server’s data folder.
  </>
);
export const beforeRotation =
  'You get a new key, which is shown once. The current key and all its sessions end immediately, including this one. Sign in again with the new key. Access tokens and API keys keep working.';

export const newOwner = 'New owner';
export const eachOwner = 'Each owner has separate apps, tokens and storage, and can’t see those of other owners.';
export const loadingOwners = 'the owners';
export const operatorBadge = 'Operator';
export const key = 'Key';
export const yours = 'Rotate your own key under “Your account”.';
export const rotate = 'Rotate';
export const rotateKeyOf = (owner: string): string => `Rotate the key of ${owner}`;
export const keyOf = (owner: string): string => `Owner key of ${owner}`;
export const handOver = (owner: string): string => `Give this key to ${owner}, who signs in with it.`;
export const endsKey = 'The current key and its sessions end immediately. Access tokens and API keys keep working.';
export const createOwner = 'Create owner';
export const nameHelp = 'A team or a person.';

export const loadingSettings = 'the settings';
export const installation = 'Installation';
export const setByEnvironment = 'These values are set by environment variables of the server.';
export const release = 'Sluice version';
export const environment = 'Environment';
export const publicAddress = 'Public URL';
export const deviceAddress = 'Device API URL';
export const unknownDeviceAddress = 'unknown: device-updates does not respond';
export const downloads = 'Downloads';
export const streamed = 'Through the server';
export const redirected = 'Redirected to the object store';
export const plaintextKeys = 'API key storage';
export const recoverable = 'Stored encrypted, can be shown again';
export const notStored = 'Not stored';
export const limits = 'Limits';
export const requestsOfToken = 'Requests per token';
export const uploadsOfToken = 'Uploads per token';
export const actionsOnKeys = 'Creating, showing and rotating keys';
export const requestsOfDevice = 'Requests per device';
export const requestsOfAddress = 'Device requests per IP address';
export const downloadsOfAddress = 'Downloads per IP address';
export const appsOfOwner = 'Apps per owner';
export const bundlesOfOwner = 'Bundle storage per owner';
export const largestBundle = 'Largest bundle';
export const largestKeystore = 'Largest keystore backup';
export const aMinute = (count: number): string => `${count.toLocaleString()} per minute`;
export const anHour = (count: number): string => `${count.toLocaleString()} per hour`;
export const atATime = (count: number): string => `${count.toLocaleString()} at a time`;
export const times = 'Timeouts and retention';
export const sessionIdle = 'Session idle timeout';
export const sessionMost = 'Maximum session length';
export const jobRetries = 'Retry intervals when a check can’t run';
export const contentRetries = 'Retry intervals when a check finds a fault in the bundle';
export const downloadAddress = 'Download URL lifetime';
export const bytesKept = 'Files of deleted bundles are removed after';
export const buildsKept = 'Builds kept in each channel';
export const all = 'all';
export const none = 'none';
export const engines = 'Engines';
export const eventStore = 'Event store';
export const eventStorePrefix = 'Event store prefix';
export const readStore = 'Read store';
export const stateStore = 'State store';
export const objectStore = 'Object store';
export const bus = 'Bus';
export const trustedProxies = 'Trusted proxies';

export const readModelsHelp =
  'Sluice records every change as an event. Read models are tables that are built from these events, and all lists and searches use them. You can verify them against the events, or rebuild them without downtime.';
export const loadingReadModels = 'the read models';
export const ofService = (service: string, version: number): string => `Service ${service}, schema version ${version}`;
export const hasStopped = (reason: string): string => `It has stopped: ${reason}`;
export const verifyVerb = 'Verify';
export const rebuildVerb = 'Rebuild';
export const verify = (model: string): string => `Verify the read model ${model}`;
export const rebuild = (model: string): string => `Rebuild the read model ${model}`;
export const aboutRebuild =
  'All events are replayed into a new read model, which then replaces the current one. The current one stays in use until then. With many events, this takes minutes.';
export const aboutVerify =
  'All events are replayed, and the result is compared with the read model. Nothing is changed. With many events, this takes minutes.';
export const stopped = 'Stopped';
export const upToDate = 'Up to date';
export const catchingUp = 'Catching up';
export const noTask = 'Neither verified nor rebuilt since the service started.';
export const rebuildTask = 'Rebuild';
export const verifyTask = 'Verification';
export const interrupted = 'The service stopped before this was finished. Run it again.';
export const same = (rows: number): string =>
  rows === 1 ? 'The only row matches the events.' : `All ${rows.toLocaleString()} rows match the events.`;
export const different = (count: number, rows: number): string =>
  `${count.toLocaleString()} of ${rows.toLocaleString()} rows ${count === 1 ? 'does' : 'do'} not match the events. Rebuild the read model.`;
export const differs = (how: string, members: readonly string[]): string =>
  members.length === 0 ? how : `${how}: ${members.join(', ')}`;
