import { messageOf, UpdateError } from './errors.js';
import { Plane, REAL_SURROUNDINGS, type PlaneOptions, type Surroundings } from './plane.js';
import {
  chooseBundle,
  confirmBundle,
  dropDamaged,
  markStarted,
  stateOf,
  withActivity,
  withoutReport,
  withReport,
  type State,
  type StoredBundle,
} from './state.js';
import { concat, type UpdateStorage } from './storage.js';
import {
  isNewer,
  isSigned,
  membersOf,
  offeredRange,
  signaturesOf,
  verifyBundle,
  verifyCheck,
  type PinnedKey,
  type VerifiedUpdate,
} from './verifier.js';

/** What the app trusts. Build it into the app; never take it from the server. */
export interface UpdateTrust {
  /** The public signing keys of the app on the server. A manifest or channel state is accepted when any of them signed it. */
  readonly keys: readonly PinnedKey[];
  /** The app's integer id on the server. */
  readonly appId: number;
  /** Keys of which one must have signed the bundle too: for bundles that are uploaded with a signature of your own. */
  readonly bundleKeys?: readonly PinnedKey[];
}

export interface UpdaterOptions extends PlaneOptions {
  /** The version of the bundle that is embedded in the app. */
  readonly embeddedVersion: string;
  readonly storage: UpdateStorage;
  /** `'unsigned'` is for apps without a signing key: TLS and the checksum alone then protect updates. */
  readonly trust: UpdateTrust | 'unsigned';
  /** A stable id of this installation, at most 255 printable ASCII characters. Default: a random one, kept in the storage. */
  readonly deviceId?: string;
}

/** The bundle that an app starts with. */
export interface StartedBundle extends StoredBundle {
  /** The zip archive, verified. @throws UpdateError `untrusted` if the stored bytes have changed since the start */
  read(): Promise<Uint8Array>;
}

export interface Started {
  /** What to run. Undefined: the bundle that is embedded in the app. */
  readonly bundle: StartedBundle | undefined;
  /** The version that runs. */
  readonly version: string;
  /** Whether the bundle runs for the first time: without a call of `confirm()` the next start rolls it back. */
  readonly onTrial: boolean;
  /** A bundle that was started before, was not confirmed, and never runs again. */
  readonly rolledBack: StoredBundle | undefined;
  /** Why the embedded bundle runs although the storage may hold another one. */
  readonly error: UpdateError | undefined;
}

/** A build that the server offers and that was verified. */
export interface Update extends VerifiedUpdate {
  /** Signed by the server, and valid for a limited time. */
  readonly downloadUrl: string;
  /** Whether users must take the update, as the server computes it. */
  readonly mandatory: boolean;
  readonly releaseNotes: string | null;
  /** Of the bundle's bytes. */
  readonly signatures: readonly string[];
}

export interface CallOptions {
  /** Aborts the call. Bytes that were received are kept. */
  readonly signal?: AbortSignal;
}

export interface DownloadOptions extends CallOptions {
  /** Called as bytes arrive. */
  readonly onProgress?: (received: number, total: number) => void;
}

/** `ready`: the update runs from the next start on. */
export type SyncResult =
  { readonly status: 'ready'; readonly update: Update } | { readonly status: 'up_to_date' | 'unconfirmed' };

/**
 * Keeps an app up to date. Call `start()` first, run what it returns, and call `confirm()` once the app works.
 * Methods reject with an UpdateError and nothing else.
 */
export interface Updater {
  /**
   * Decides which bundle runs. Never rejects and uses no network. The result is the same until the page or process ends.
   * Every start verifies the bundle's checksum; a damaged bundle is dropped.
   */
  start(): Promise<Started>;
  /** The app works: the bundle that was started stays. No effect on a bundle that is confirmed already. */
  confirm(): Promise<void>;
  /** Asks the server for an update. Undefined: there is nothing to install. */
  check(options?: CallOptions): Promise<Update | undefined>;
  /** Downloads and verifies an update, and makes the next start run it. Resumes a download that was interrupted. */
  download(update: Update, options?: DownloadOptions): Promise<void>;
  /** `check()`, `download()` if there is an update, and `flush()`. Before `confirm()` it sends reports only. */
  sync(options?: DownloadOptions): Promise<SyncResult>;
  /**
   * Chooses a channel that the app lets its devices choose, such as `beta`: later checks get its builds. The choice is kept
   * for as long as the app checks for updates at least every 45 days. Rejects with `rejected` if there is no such channel.
   */
  chooseChannel(channel: string, options?: CallOptions): Promise<void>;
  /** The channel that was chosen, as the server knows it. Undefined: none, or it was deleted. */
  chosenChannel(options?: CallOptions): Promise<string | undefined>;
  /** Returns to the channel of the options. What is installed stays until that channel has something newer. */
  leaveChannel(options?: CallOptions): Promise<void>;
  /** Sends the reports that wait. Those that could not be sent are kept and sent by a later call. */
  flush(options?: CallOptions): Promise<void>;
  /** The id that the server knows this installation by. */
  deviceId(): Promise<string>;
  /**
   * What the last check stated: a newer build is released that only a newer native app can run, one of the version
   * `minimum` at least. Undefined: none is, or no check has succeeded. It is not signed, so do nothing but show it.
   */
  readonly nativeUpdateRequired: { readonly minimum: string } | undefined;
}

/** A choice of a channel that ends earlier than this from now is renewed. */
const RENEWED_WITHIN_MS = 45 * 86_400_000;
/** Bytes that are collected before they are stored. */
const PART_BYTES = 256 * 1024;

/** @throws UpdateError `invalid_options` */
export function createUpdater(options: UpdaterOptions): Updater {
  return new DeviceUpdater(checked(options), REAL_SURROUNDINGS);
}

/** @internal For tests. */
export function createUpdaterIn(options: UpdaterOptions, around: Partial<Surroundings>): Updater {
  return new DeviceUpdater(checked(options), { ...REAL_SURROUNDINGS, ...around });
}

class DeviceUpdater implements Updater {
  private readonly plane: Plane;
  private nativeUpdate: Updater['nativeUpdateRequired'];
  private started: Promise<Started> | undefined;
  private running: Started | undefined;
  private syncing: Promise<SyncResult> | undefined;
  private flushing: Promise<void> | undefined;
  /** Of the trial of this page's bundle. */
  private endTrial: (() => void) | undefined;
  private readonly held = new Set<string>();
  private lastChange: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly options: UpdaterOptions,
    private readonly around: Surroundings,
  ) {
    this.plane = new Plane(options, around);
  }

  start(): Promise<Started> {
    this.started ??= this.begin()
      .catch((error: unknown) => this.embedded(asUpdateError(error)))
      .then((started) => (this.running = started));
    return this.started;
  }

  async confirm(): Promise<void> {
    const { bundle, onTrial } = this.present();
    if (bundle === undefined || !onTrial) return;
    await this.change((state) => confirmBundle(state, bundle.id, this.options.embeddedVersion));
    this.endTrial?.();
  }

  async check({ signal }: CallOptions = {}): Promise<Update | undefined> {
    const { version } = this.present();
    const state = await this.renewed(signal);
    const body = await this.plane.check(this.idIn(state), version, this.options.embeddedVersion, signal);
    const { update, channel, activeVersions, sequence, backToEmbedded } = await this.verified(body, state, version);
    this.nativeUpdate = nativeUpdateIn(body);
    const next = await this.change((current) => {
      const sequences =
        sequence === undefined
          ? current.sequences
          : { ...current.sequences, [channel]: Math.max(sequence, current.sequences[channel] ?? 0) };
      const checkedState = { ...current, sequences };
      const { candidate } = current;
      if (candidate?.started === true) return checkedState;
      if (backToEmbedded) return { ...checkedState, candidate: undefined, confirmed: undefined };
      const isWithdrawn =
        candidate !== undefined && (update === undefined || activeVersions?.includes(candidate.version) === false);
      return isWithdrawn ? { ...checkedState, candidate: undefined } : checkedState;
    });
    if (update === undefined || next.failed.includes(update.bundleId)) return undefined;
    return next.confirmed?.id === update.bundleId ? undefined : update;
  }

  async download(update: Update, { signal, onProgress }: DownloadOptions = {}): Promise<void> {
    this.present();
    const release = await this.hold('download');
    if (release === undefined) throw new UpdateError('busy', 'Another page or process is downloading an update.');
    try {
      const { candidate, failed } = await this.read();
      if (candidate?.id === update.bundleId || failed.includes(update.bundleId)) return;
      refuseUnconfirmed(candidate);
      await this.receive(update, signal, onProgress);
      const { bundleId: id, version, sha256, size } = update;
      await this.change((state) => {
        refuseUnconfirmed(state.candidate);
        const staged = { ...state, candidate: { id, version, sha256, size, started: false } };
        return withReport(staged, { kind: 'download', bundleId: id, status: 'complete' });
      });
    } catch (error) {
      const known = asUpdateError(error);
      // A broken connection is no failed download: the next call resumes it.
      if (known.code === 'untrusted' || known.code === 'rejected' || known.code === 'storage') {
        const report = { kind: 'download', bundleId: update.bundleId, status: 'failed', error: known.message } as const;
        await this.change((state) => withReport(state, report)).catch(() => undefined);
      }
      throw known;
    } finally {
      release();
    }
  }

  sync(options: DownloadOptions = {}): Promise<SyncResult> {
    this.syncing ??= this.syncNow(options).finally(() => (this.syncing = undefined));
    return this.syncing;
  }

  flush({ signal }: CallOptions = {}): Promise<void> {
    this.flushing ??= this.sendReports(signal).finally(() => (this.flushing = undefined));
    return this.flushing;
  }

  async chooseChannel(channel: string, { signal }: CallOptions = {}): Promise<void> {
    await this.choose({ channel }, signal);
  }

  async chosenChannel({ signal }: CallOptions = {}): Promise<string | undefined> {
    return (await this.choose('GET', signal)).chosen?.channel;
  }

  async leaveChannel({ signal }: CallOptions = {}): Promise<void> {
    await this.choose('DELETE', signal);
  }

  get nativeUpdateRequired(): Updater['nativeUpdateRequired'] {
    return this.nativeUpdate;
  }

  async deviceId(): Promise<string> {
    return this.idIn(await this.read());
  }

  private async syncNow(options: DownloadOptions): Promise<SyncResult> {
    const result = await this.installNow(options).catch((error: unknown) => asUpdateError(error));
    const isError = result instanceof UpdateError;
    // Reports that can't be sent now wait for a later call.
    if (!isError || !(result.isTransient || result.code === 'aborted'))
      await this.flush(options).catch(() => undefined);
    if (isError) throw result;
    return result;
  }

  private async installNow(options: DownloadOptions): Promise<SyncResult> {
    if ((await this.read()).candidate?.started === true) return { status: 'unconfirmed' };
    const update = await this.check(options);
    if (update === undefined) return { status: 'up_to_date' };
    await this.download(update, options);
    return { status: 'ready', update };
  }

  private async sendReports(signal: AbortSignal | undefined): Promise<void> {
    const { reports, ...state } = await this.read();
    for (const report of reports) {
      try {
        await this.plane.report(this.idIn(state), report, signal);
      } catch (error) {
        const { code, status } = asUpdateError(error);
        // A revoked or restricted key may be repaired. Any other rejection is final.
        if (code !== 'rejected' || status === 401 || status === 403) throw error;
      }
      await this.change((current) => withoutReport(current, report));
    }
  }

  /** The state, with what the server then says of the choice. */
  private async choose(how: Parameters<Plane['choice']>[1], signal: AbortSignal | undefined): Promise<State> {
    const state = await this.read();
    // Before: if the response is lost, the next check sends it again, and accepts statements of this channel.
    if (typeof how === 'object') await this.keep({ ...how, expiresAt: 0 });
    try {
      return await this.keep(await this.plane.choice(this.idIn(state), how, signal));
    } catch (error) {
      if (asUpdateError(error).code === 'rejected') await this.keep(state.chosen);
      throw error;
    }
  }

  private keep(chosen: State['chosen']): Promise<State> {
    return this.change((state) => ({ ...state, chosen }));
  }

  /** A choice that can't be renewed now stays as it is. One of a channel that is gone is dropped. */
  private async renewed(signal: AbortSignal | undefined): Promise<State> {
    const state = await this.read();
    const { chosen } = state;
    if (chosen === undefined || chosen.expiresAt - this.around.now().getTime() > RENEWED_WITHIN_MS) return state;
    try {
      return await this.choose({ channel: chosen.channel }, signal);
    } catch (error) {
      if (asUpdateError(error).status === 422) return this.keep(undefined);
      if (signal?.aborted === true) throw error;
      return state;
    }
  }

  /** The bundle to run, verified, and marked as started before it runs. */
  private async begin(): Promise<Started> {
    const release = await this.hold('trial');
    try {
      const started = await this.chooseWhile(release !== undefined);
      if (started.onTrial) this.endTrial = release;
      else release?.();
      return started;
    } catch (error) {
      release?.();
      throw error;
    }
  }

  private async chooseWhile(mayTry: boolean): Promise<Started> {
    const { embeddedVersion } = this.options;
    let rolledBack: StoredBundle | undefined;
    for (;;) {
      const { bundle } = chooseBundle(await this.read(), embeddedVersion, mayTry);
      const isSound = bundle === undefined || (await this.faultOfStored(bundle)) === undefined;
      let onTrial: boolean | undefined;
      await this.change((state) => {
        const choice = chooseBundle(state, embeddedVersion, mayTry);
        // Another page changed the state meanwhile.
        if (choice.bundle?.id !== bundle?.id) return state;
        ({ rolledBack = rolledBack } = choice);
        if (!isSound) return dropDamaged(choice.state, bundle.id, DAMAGED);
        ({ onTrial } = choice);
        const next = onTrial ? markStarted(choice.state) : choice.state;
        return withActivity(next, bundle?.version ?? embeddedVersion, this.around.now());
      });
      if (onTrial === undefined) continue;
      if (bundle === undefined) return { ...this.embedded(undefined), rolledBack };
      const { id, version, sha256, size } = bundle;
      const started = { id, version, sha256, size, read: () => this.readBundle(bundle) };
      return { bundle: started, version, onTrial, rolledBack, error: undefined };
    }
  }

  private embedded(error: UpdateError | undefined): Started {
    const version = this.options.embeddedVersion;
    return { bundle: undefined, version, onTrial: false, rolledBack: undefined, error };
  }

  private async readBundle(bundle: StoredBundle): Promise<Uint8Array> {
    const bytes = await this.stored((storage) => storage.read(bundle.id));
    const fault = await verifyBundle(bytes, bundle);
    if (fault !== undefined) throw mismatch(`${DAMAGED} ${fault.message}`);
    return bytes;
  }

  /** Undefined: the stored bytes are those that were verified. */
  private async faultOfStored(bundle: StoredBundle): Promise<unknown> {
    try {
      await this.readBundle(bundle);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Stores the bundle's bytes and verifies what is stored. */
  private async receive(
    update: Update,
    signal: AbortSignal | undefined,
    onProgress: DownloadOptions['onProgress'],
  ): Promise<void> {
    await this.deleteUnused(update.bundleId);
    let wasResumed = (await this.stored((storage) => storage.sizeOf(update.bundleId))) > 0;
    for (;;) {
      await this.receiveBytes(update, signal, onProgress);
      const bytes = await this.stored((storage) => storage.read(update.bundleId));
      const fault = await this.faultOf(bytes, update);
      if (fault === undefined) return;
      await this.stored((storage) => storage.delete(update.bundleId));
      // What an earlier call or a crash left may be damaged; all bytes of one call are as the server sent them.
      if (!wasResumed) throw fault;
      wasResumed = false;
    }
  }

  private receiveBytes(
    update: Update,
    signal: AbortSignal | undefined,
    onProgress: DownloadOptions['onProgress'],
  ): Promise<void> {
    const { bundleId, size } = update;
    let { downloadUrl } = update;
    let furthest = 0;
    return this.plane.retry(signal, async (progress) => {
      let length = await this.stored((storage) => storage.sizeOf(bundleId));
      let parts: Uint8Array[] = [];
      let waiting = 0;
      const restart = async () => {
        await this.stored((storage) => storage.delete(bundleId));
        length = 0;
      };
      const store = async () => {
        if (waiting === 0) return;
        const bytes = concat(parts);
        parts = [];
        waiting = 0;
        await this.stored((storage) => storage.append(bundleId, bytes));
        length += bytes.length;
        if (length > furthest) progress();
        furthest = Math.max(length, furthest);
        onProgress?.(length, size);
      };
      const receive = async (bytes: Uint8Array) => {
        parts.push(bytes);
        waiting += bytes.length;
        if (length + waiting > size) throw mismatch(`The server sent more than the ${size} bytes of the bundle.`);
        if (waiting >= PART_BYTES) await store();
      };
      if (length > size) await restart();
      if (length === size) return;
      try {
        await this.plane.download(downloadUrl, length, { receive, restart }, signal).finally(store);
      } catch (error) {
        if (asUpdateError(error).reason === 'bytes_mismatch') await restart();
        if (!(error instanceof UpdateError) || error.status !== 403) throw error;
        // The URL has expired. A new check gets another one for the same bundle.
        const again = await this.check({ ...(signal && { signal }) });
        if (again?.bundleId !== bundleId || again.downloadUrl === downloadUrl) throw error;
        ({ downloadUrl } = again);
        throw new UpdateError('unreachable', 'The download URL had expired.', { cause: error });
      }
      if (length < size)
        throw new UpdateError('unreachable', 'The connection was closed before the end of the bundle.');
    });
  }

  private async faultOf(bytes: Uint8Array, update: Update): Promise<UpdateError | undefined> {
    const rejected = await verifyBundle(bytes, update);
    if (rejected !== undefined) return mismatch(rejected.message);
    const { trust } = this.options;
    if (trust === 'unsigned' || trust.bundleKeys === undefined) return undefined;
    if (await judged(isSigned(new Uint8Array(bytes), update.signatures, trust.bundleKeys))) return undefined;
    return new UpdateError('untrusted', 'No key of `bundleKeys` signed the bundle.', { reason: 'signature_invalid' });
  }

  /** Deletes the bytes of all bundles that no start can need. */
  private async deleteUnused(next: string): Promise<void> {
    const { confirmed, candidate } = await this.read();
    const used = [confirmed?.id, candidate?.id, this.running?.bundle?.id, next];
    for (const id of await this.stored((storage) => storage.bundles())) {
      if (!used.includes(id)) await this.stored((storage) => storage.delete(id));
    }
  }

  /** What a response offers, verified as far as the app's trust requires. */
  private async verified(body: unknown, { sequences, chosen }: State, currentVersion: string): Promise<Checked> {
    const { trust, channel = 'production', platform, nativeVersion, fingerprint } = this.options;
    const offer = objectOf(body);
    if (offer['available'] === false && offer['channelClosed'] === true) {
      throw new UpdateError('channel_closed', `The channel ${channel} was deleted or has expired.`);
    }
    const isBack = offer['available'] === false && offer['rollBackToEmbedded'] === true;
    if (trust === 'unsigned') {
      const update = offer['available'] === true ? unsignedUpdate(offer, currentVersion) : undefined;
      return { update: update && withDelivery(update, offer), channel, backToEmbedded: isBack };
    }
    const verify = (name: string) =>
      judged(
        verifyCheck(offer, {
          trust: { ...trust, channel: name, platform },
          memory: { sequence: sequences[name] },
          now: this.around.now(),
          currentVersion,
          ...(nativeVersion !== undefined && { nativeVersion }),
          fingerprint: fingerprint ?? null,
        }),
      );
    let from = chosen?.channel ?? channel;
    let verdict = await verify(from);
    // The server may have ended the choice.
    if (!verdict.accepted && verdict.reason === 'wrong_channel') verdict = await verify((from = channel));
    if (!verdict.accepted) throw new UpdateError('untrusted', verdict.message, { reason: verdict.reason });
    const { update, activeVersions, memory } = verdict;
    return {
      ...{ update: update && withDelivery(update, offer), channel: from, activeVersions, sequence: memory.sequence },
      // The member is not signed: an active version is never left because of it.
      backToEmbedded: isBack && !activeVersions.includes(currentVersion),
    };
  }

  private present(): Started {
    if (this.running !== undefined) return this.running;
    throw new UpdateError('not_started', 'Call start() and wait for its result first.');
  }

  private idIn({ deviceId }: Pick<State, 'deviceId'>): string {
    return this.options.deviceId ?? deviceId;
  }

  /** Undefined while this updater, or another page or process, holds it. */
  private async hold(name: string): Promise<(() => void) | undefined> {
    if (this.held.has(name)) return undefined;
    this.held.add(name);
    const { storage } = this.options;
    const release = storage.hold === undefined ? () => undefined : await storage.hold(name).catch(() => undefined);
    const end = () => {
      this.held.delete(name);
      release?.();
    };
    if (release === undefined) end();
    return release && end;
  }

  private read(): Promise<State> {
    return this.change((state) => state);
  }

  /** Replaces the state and returns the new one; changes run one after the other. What `decide` throws changes nothing. */
  private change(decide: (state: State) => State): Promise<State> {
    const changed = this.lastChange.then(async () => {
      let decided: () => State = () => stateOf(undefined);
      await this.stored((storage) =>
        storage.updateState((record) => {
          const state = stateOf(record);
          try {
            const next = decide(state);
            decided = () => next;
            return JSON.stringify(next);
          } catch (error) {
            decided = () => {
              throw error;
            };
            return JSON.stringify(state);
          }
        }),
      );
      return decided();
    });
    this.lastChange = changed.catch(() => undefined);
    return changed;
  }

  /** What the storage throws becomes an UpdateError. */
  private async stored<T>(use: (storage: UpdateStorage) => T | Promise<T>): Promise<T> {
    try {
      return await use(this.options.storage);
    } catch (error) {
      throw asUpdateError(error);
    }
  }
}

/** What a verified response says. */
interface Checked {
  readonly update: Update | undefined;
  /** Of the builds that it speaks of. */
  readonly channel: string;
  /** Whether the server takes the app back to its embedded bundle. */
  readonly backToEmbedded: boolean;
  /** Of the channel; undefined: the app trusts no key. */
  readonly activeVersions?: readonly string[];
  readonly sequence?: number;
}

const DAMAGED = 'The stored bundle is damaged.';

function refuseUnconfirmed(candidate: State['candidate']): void {
  if (candidate?.started !== true) return;
  throw new UpdateError('unconfirmed', 'Call confirm() before the next update: the bundle that runs is on trial.');
}

function asUpdateError(error: unknown): UpdateError {
  if (error instanceof UpdateError) return error;
  return new UpdateError('storage', `The storage failed: ${messageOf(error)}.`, { cause: error });
}

/** Verification throws only for keys that are none. */
async function judged<T>(verdict: Promise<T>): Promise<T> {
  try {
    return await verdict;
  } catch (error) {
    const message = `A key of \`trust\` is not an RSA public key in PEM: ${messageOf(error)}`;
    throw new UpdateError('invalid_options', message, { cause: error });
  }
}

const mismatch = (message: string) => new UpdateError('untrusted', message, { reason: 'bytes_mismatch' });

function malformed(message: string): UpdateError {
  return new UpdateError('untrusted', message, { reason: 'statement_malformed' });
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  try {
    return membersOf(body);
  } catch (error) {
    throw malformed(messageOf(error));
  }
}

/** An offer that only TLS and the checksum protect. */
function unsignedUpdate(offer: Readonly<Record<string, unknown>>, currentVersion: string): VerifiedUpdate {
  const { version, bundleId, checksum: sha256, size } = offer;
  if (typeof version !== 'string' || typeof bundleId !== 'string' || typeof sha256 !== 'string') {
    throw malformed('The offer has no `version`, `bundleId` or `checksum`.');
  }
  if (!Number.isSafeInteger(size)) throw malformed('The offer has no `size`.');
  if (!isNewer(version, currentVersion)) {
    const message = `${version} is not newer than ${currentVersion}.`;
    throw new UpdateError('untrusted', message, { reason: 'version_not_newer' });
  }
  const nativeRange = offeredRange(offer);
  return {
    version,
    bundleId,
    sha256,
    size: size as number,
    nativeRange: typeof nativeRange === 'string' ? nativeRange : null,
  };
}

function nativeUpdateIn(body: unknown): Updater['nativeUpdateRequired'] {
  const { nativeUpdateRequired: required } = objectOf(body);
  const { minimum } = (required ?? {}) as { readonly minimum?: unknown };
  return typeof minimum === 'string' ? { minimum } : undefined;
}

function withDelivery(update: VerifiedUpdate, offer: Readonly<Record<string, unknown>>): Update {
  const { downloadUrl, mandatory, releaseNotes } = offer;
  if (typeof downloadUrl !== 'string') throw malformed('The offer has no `downloadUrl`.');
  // It names files.
  if (!/^[\w-]{1,64}$/.test(update.bundleId)) throw malformed('`bundleId` is not an id.');
  return {
    ...{ ...update, downloadUrl, mandatory: mandatory === true },
    releaseNotes: typeof releaseNotes === 'string' ? releaseNotes : null,
    signatures: signaturesOf(offer, 'signature'),
  };
}

/** The options, if they are valid. */
function checked(options: UpdaterOptions): UpdaterOptions {
  const given: Partial<UpdaterOptions> = options;
  const {
    server = '',
    apiKey = '',
    platform = '',
    embeddedVersion = '',
    storage,
    trust,
    deviceId,
    fingerprint,
  } = given;
  const fail = (message: string): never => {
    throw new UpdateError('invalid_options', message);
  };
  if (!/^https?:\/\/[^?#]+$/.test(server)) {
    fail(`\`server\` must be the address of the server, for example https://updates.example.com. Received: ${server}.`);
  }
  if (!/^svc_app_[!-~]+$/.test(apiKey)) fail('`apiKey` must be an API key of the app, which begins with svc_app_.');
  if (!['ios', 'android', 'web', 'all'].includes(platform)) {
    fail(`\`platform\` must be ios, android, web or all. Received: ${platform}.`);
  }
  if (!isNewer(embeddedVersion, '0.0.0-0')) {
    fail(`\`embeddedVersion\` must be a version, for example 1.4.0. Received: ${embeddedVersion}.`);
  }
  if (typeof storage?.updateState !== 'function')
    fail('`storage` must be an UpdateStorage, for example memoryStorage().');
  if (fingerprint !== undefined && !/^[!-~]{1,128}$/.test(fingerprint)) {
    fail('`fingerprint` must have 1 to 128 printable ASCII characters, without spaces.');
  }
  if (deviceId !== undefined && !/^[ -~]{1,255}$/.test(deviceId)) {
    fail('`deviceId` must have 1 to 255 printable ASCII characters.');
  }
  if (trust !== 'unsigned' && !(Number.isSafeInteger(trust?.appId) && trust?.keys.length)) {
    fail("`trust` must be { keys, appId } with at least one public signing key, or 'unsigned'.");
  }
  return { ...options, server: server.replace(/\/+$/, '') };
}
