/** The texts of the screen “Account and installation”, but for the findings of its health checks. */

export const title = 'Account and installation';
export const tabs = 'Account';
export const you = 'You';
export const settings = 'Settings';
export const health = 'Health';
export const owners = 'Owners';
export const readModels = 'Read models';

export const loadingYou = 'your account';
export const name = 'Name';
export const number = 'Number';
export const role = 'Role';
export const operator = 'Operator of this installation';
export const ownerOfApps = 'Owner of apps';
export const created = 'Created';
export const storage = 'Storage of your bundles';
export const loadingStorage = '…';
export const used = (bytes: string, limit: string): string => `${bytes} of ${limit}`;
export const keyRotated = 'Key rotated';
export const sessionEnds = 'This session expires if idle';
export const rotateYourKey = 'Rotate your owner key';
export const createKey = 'Create a new key';
export const yourNewKey = 'Your new owner key';
export const ownerKey = 'the owner key';
export const afterRotation = (
  <>
    Sign in with this key. If the environment of the server sets <code>OWNER_KEY</code>, change it to the new key before
    the next start. Otherwise the operator’s key is also in <code>owner.key</code> in the server’s data folder.
  </>
);
export const beforeRotation =
  'You get a new key, which is shown once. The current key and all its sessions end immediately, including this one. Sign in again with the new key. Access tokens and API keys keep working.';

export const newOwner = 'New owner';
export const eachOwner = 'Each owner has separate apps, tokens and storage, and can’t see those of other owners.';
export const loadingOwners = 'the owners';
export const operatorBadge = 'operator';
export const key = 'Key';
export const yours = 'Yours: rotate it under “You”';
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
export const release = 'Release';
export const environment = 'Environment';
export const publicAddress = 'Public address';
export const deviceAddress = 'Address for devices';
export const unknownDeviceAddress = 'unknown: device-updates does not respond';
export const downloads = 'Downloads';
export const streamed = 'Through the server';
export const redirected = 'Redirected to the object store';
export const plaintextKeys = 'Secrets of API keys';
export const recoverable = 'Stored encrypted, can be shown again';
export const notStored = 'Not stored';
export const limits = 'Limits';
export const requestsOfToken = 'Requests of a token';
export const uploadsOfToken = 'Uploads of a token';
export const actionsOnKeys = 'Actions on API keys';
export const requestsOfDevice = 'Requests of a device';
export const requestsOfAddress = 'Requests of devices at one address';
export const downloadsOfAddress = 'Downloads to one address';
export const appsOfOwner = 'Apps of an owner';
export const bundlesOfOwner = 'All bundles of an owner';
export const largestBundle = 'Largest bundle';
export const largestKeystore = 'Largest keystore backup';
export const aMinute = (count: number): string => `${count.toLocaleString()} per minute`;
export const anHour = (count: number): string => `${count.toLocaleString()} per hour`;
export const atATime = (count: number): string => `${count.toLocaleString()} simultaneously`;
export const times = 'Times';
export const sessionIdle = 'A session ends if it is not used for';
export const sessionMost = 'A session ends at the latest after';
export const jobRetries = 'Retries of a failed job, after';
export const contentRetries = 'Retries of a damaged bundle, after';
export const downloadAddress = 'A download address is valid for';
export const bytesKept = 'Bundles of deleted builds are kept for';
export const buildsKept = 'Builds kept in each channel';
export const all = 'all';
export const none = 'none';
export const engines = 'Engines';
export const eventStore = 'Event store';
export const eventStorePrefix = 'Prefix of its streams';
export const readStore = 'Read store';
export const stateStore = 'State store';
export const objectStore = 'Object store';
export const bus = 'Bus';
export const trustedProxies = 'Trusted proxies';

export const readModelsHelp =
  'Lists and searches read from these read models, which are built from the events. You can compare them with the events, or rebuild them while they stay in use.';
export const loadingReadModels = 'the read models';
export const ofService = (service: string, version: number): string => `of ${service}, version ${version}`;
export const hasStopped = (reason: string): string => `It has stopped: ${reason}`;
export const verifyVerb = 'Verify';
export const rebuildVerb = 'Rebuild';
export const verify = (model: string): string => `Verify ${model}`;
export const rebuild = (model: string): string => `Rebuild ${model}`;
export const aboutRebuild =
  'All events are replayed into a new read model, which then replaces the current one. The current one stays in use until then. With many events, this takes minutes.';
export const aboutVerify =
  'All events are replayed, and the result is compared with the read model. Nothing is changed. With many events this takes minutes.';
export const stopped = 'stopped';
export const upToDate = 'up to date';
export const catchingUp = 'catching up';
export const noTask = 'Neither verified nor rebuilt since the service started.';
export const rebuildTask = 'Rebuild';
export const verifyTask = 'Verification';
export const interrupted = 'The service stopped before this was finished. Run it again.';
export const same = (rows: number): string => `All ${rows.toLocaleString()} rows match the events.`;
export const different = (count: number, rows: number): string =>
  `${count.toLocaleString()} of ${rows.toLocaleString()} rows do not match the events. Rebuild the read model.`;
export const differs = (how: string, members: readonly string[]): string =>
  members.length === 0 ? `is ${how}` : `is ${how}: ${members.join(', ')}`;
