/** Client of the device API of a Sluice server, on `fetch` and Web Crypto alone. */
export { UpdateError, type UpdateErrorCode, type UpdateErrorFacts } from './errors.js';
export type { AppIdentity, PlaneOptions } from './plane.js';
export type { StoredBundle } from './state.js';
export { memoryStorage, type UpdateStorage } from './storage.js';
export { unzip, type UnzipLimits } from './unzip.js';
export {
  createUpdater,
  type CallOptions,
  type DownloadOptions,
  type Started,
  type StartedBundle,
  type SyncResult,
  type Update,
  type Updater,
  type UpdaterOptions,
  type UpdateTrust,
} from './updater.js';
export {
  createVerifier,
  verifyBundle,
  verifyCheck,
  type Accepted,
  type ChannelMemory,
  type CheckContext,
  type DevicePlatform,
  type PinnedKey,
  type Reason,
  type Rejected,
  type SequenceStore,
  type SignatureScheme,
  type Trust,
  type VerifiedUpdate,
  type Verifier,
} from './verifier.js';
