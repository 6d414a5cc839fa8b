/**
 * Verifies the responses of update checks and the bytes of bundles on a device. It imports nothing and needs only Web
 * Crypto, so it runs in browsers and in Node. The guide "Signed updates" explains the attack behind each reason.
 */

/** RSA with SHA-256: PKCS#1 v1.5, or PSS with a salt of 32 bytes. As the signing key says. */
export type SignatureScheme = 'pkcs1v15' | 'pss';

export type DevicePlatform = 'ios' | 'android' | 'web' | 'all';

export interface PinnedKey {
  /** PEM of the SubjectPublicKeyInfo: `public_key` of the signing key. */
  readonly publicKey: string;
  readonly scheme: SignatureScheme;
}

/** What an app is built with. */
export interface Trust {
  /** A statement is accepted when any of these keys signed it. */
  readonly keys: readonly PinnedKey[];
  /** The app's integer id. */
  readonly appId: number;
  /** As in the check's query; `production` where it is left out. */
  readonly channel: string;
  /** As in the check's `X-Platform`. */
  readonly platform: DevicePlatform;
}

/** What a device remembers of a channel from check to check. */
export interface ChannelMemory {
  /** The highest sequence that was accepted; undefined before the first. */
  readonly sequence: number | undefined;
}

/** Why a response or a bundle is rejected. */
export type Reason =
  /** The channel's state, or the manifest of an offer, is missing: the server has no signing key, or is signing it now. */
  | 'statement_missing'
  /** No pinned key signed these bytes. */
  | 'signature_invalid'
  /** It is signed, and not a statement of the kind that is expected here. */
  | 'statement_malformed'
  /** Its time is over: an old response, or a server that can't sign any longer. */
  | 'expired'
  /** An older state of the channel than one that was accepted before. */
  | 'channel_state_outdated'
  | 'wrong_app'
  | 'wrong_channel'
  | 'wrong_platform'
  /** The offered version is not among the channel's active builds. */
  | 'version_not_active'
  /** The manifest is not the one that the channel's state names: statements of different times. */
  | 'manifest_outdated'
  /** The offer says something else than its manifest. */
  | 'offer_mismatch'
  /** The offered version is not newer than the one that runs. */
  | 'version_not_newer'
  /** The native app is older than the offered build requires. */
  | 'native_version_too_old'
  /** The native app is not among those that the offered build is for. */
  | 'native_version_unsuitable'
  /** The offered build is for native apps with another fingerprint. */
  | 'fingerprint_mismatch'
  /** The bundle is not the one that the manifest names. */
  | 'bytes_mismatch';

/** A build that a device may install, as its manifest says. */
export interface VerifiedUpdate {
  readonly version: string;
  readonly bundleId: string;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** The native versions that the build runs on, such as `>=2.1.0` or `>=2.1.0 <3.0.0-0||>=4.0.0`; null: any. */
  readonly nativeRange: string | null;
}

export interface Rejected {
  readonly accepted: false;
  readonly reason: Reason;
  /** For people, in one sentence. */
  readonly message: string;
}

export interface Accepted {
  readonly accepted: true;
  /** To be remembered for the next check. */
  readonly memory: { readonly sequence: number };
  /** The versions that the channel serves, to some devices or to all. */
  readonly activeVersions: readonly string[];
  /** Undefined: there is nothing to install. */
  readonly update: VerifiedUpdate | undefined;
}

export interface CheckContext {
  readonly trust: Trust;
  readonly memory: ChannelMemory;
  readonly now: Date;
  /** The version that runs; left out: it is not compared with the offered one. */
  readonly currentVersion?: string;
  /** Of the native app; left out: it is not compared with the one that the build requires. */
  readonly nativeVersion?: string;
  /** Of the native app, null: it has none; left out: it is not compared with the one that the build requires. */
  readonly fingerprint?: string | null;
}

/**
 * Judges the parsed JSON of an update check's response.
 * @throws when a pinned key is not an RSA public key in PEM
 */
export async function verifyCheck(response: unknown, context: CheckContext): Promise<Accepted | Rejected> {
  try {
    return await accept(membersOf(response), context);
  } catch (error) {
    if (error instanceof Rejection) return { accepted: false, reason: error.reason, message: error.message };
    throw error;
  }
}

/** Whether these are the bytes that the manifest of the update names; undefined: they are. */
export async function verifyBundle(
  bytes: Uint8Array,
  { sha256, size }: Pick<VerifiedUpdate, 'sha256' | 'size'>,
): Promise<Rejected | undefined> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (bytes.length === size && hex === sha256) return undefined;
  const message = `The bundle has ${bytes.length} bytes and the SHA-256 ${hex}; its manifest names ${size} and ${sha256}.`;
  return { accepted: false, reason: 'bytes_mismatch', message };
}

/** Where a device keeps the highest sequence of one app's channel. It must survive restarts of the app. */
export interface SequenceStore {
  load(): Promise<number | undefined>;
  save(sequence: number): Promise<void>;
}

export interface Verifier {
  /** As verifyCheck; an accepted sequence is stored before it resolves. */
  check(response: unknown, currentVersion?: string): Promise<Accepted | Rejected>;
  bundle(bytes: Uint8Array, update: VerifiedUpdate): Promise<Rejected | undefined>;
}

export function createVerifier(trust: Trust, store: SequenceStore, now: () => Date = () => new Date()): Verifier {
  let last: Promise<unknown> = Promise.resolve();
  const check = async (response: unknown, currentVersion: string | undefined) => {
    const memory = { sequence: await store.load() };
    const context = { trust, memory, now: now(), ...(currentVersion !== undefined && { currentVersion }) };
    const verdict = await verifyCheck(response, context);
    if (verdict.accepted && verdict.memory.sequence !== memory.sequence) await store.save(verdict.memory.sequence);
    return verdict;
  };
  return {
    // One after the other: a later one must see what an earlier one stored.
    check: (response, currentVersion) => {
      const verdict = last.then(() => check(response, currentVersion));
      last = verdict.catch(() => undefined);
      return verdict;
    },
    bundle: verifyBundle,
  };
}

class Rejection extends Error {
  constructor(
    readonly reason: Reason,
    message: string,
  ) {
    super(message);
  }
}

type Members = Readonly<Record<string, unknown>>;

async function accept(response: Members, context: CheckContext): Promise<Accepted> {
  const { trust, memory, now, currentVersion, nativeVersion, fingerprint } = context;
  const state = await statementOf('channelState', response, trust, now);
  const sequence = integerOf(state, 'sequence');
  const versions = membersOf(state['versions']);
  if (state['platform'] !== trust.platform) {
    throw new Rejection('wrong_platform', `The state is of the platform ${shown(state['platform'])}.`);
  }
  if (memory.sequence !== undefined && sequence < memory.sequence) {
    throw new Rejection(
      'channel_state_outdated',
      `The state has the sequence ${sequence}; ${memory.sequence} was accepted before.`,
    );
  }
  const accepted = { accepted: true, memory: { sequence }, activeVersions: Object.keys(versions) } as const;
  if (response['available'] === false) return { ...accepted, update: undefined };
  if (response['available'] !== true) throw new Rejection('offer_mismatch', '`available` is neither true nor false.');

  const manifest = await statementOf('manifest', response, trust, now);
  if (manifest['platform'] !== 'all' && manifest['platform'] !== trust.platform) {
    throw new Rejection('wrong_platform', `The manifest is of the platform ${shown(manifest['platform'])}.`);
  }
  const update = {
    version: textOf(manifest, 'version'),
    bundleId: textOf(manifest, 'bundleId'),
    sha256: textOf(manifest, 'sha256'),
    size: integerOf(manifest, 'size'),
    nativeRange: manifest['nativeRange'] === null ? null : textOf(manifest, 'nativeRange'),
  };
  const { version } = update;
  if (!Object.hasOwn(versions, version)) {
    throw new Rejection('version_not_active', `The channel does not serve ${version}.`);
  }
  if (versions[version] !== integerOf(manifest, 'sequence')) {
    throw new Rejection('manifest_outdated', `The channel's state names another manifest of ${version}.`);
  }
  refuseMismatch(response, update);
  if (currentVersion !== undefined && !isNewer(version, currentVersion)) {
    throw new Rejection('version_not_newer', `${version} is not newer than ${currentVersion}.`);
  }
  const { nativeRange } = update;
  if (nativeRange !== null && nativeVersion !== undefined && !isInRange(nativeVersion, nativeRange)) {
    const isMinimum = /^>=\S+$/.test(nativeRange) && !nativeRange.includes('||');
    throw new Rejection(
      isMinimum ? 'native_version_too_old' : 'native_version_unsuitable',
      `${version} needs the native version ${isMinimum ? nativeRange.slice('>='.length) : nativeRange}, not ${nativeVersion}.`,
    );
  }
  const { fingerprint: required } = manifest;
  if (required !== undefined && fingerprint !== undefined && required !== fingerprint) {
    throw new Rejection(
      'fingerprint_mismatch',
      `${version} needs the fingerprint ${shown(required)}, not ${fingerprint ?? 'none'}.`,
    );
  }
  return { ...accepted, update };
}

/** What the client goes by must be what was signed. */
function refuseMismatch(offer: Members, update: VerifiedUpdate): void {
  const stated: Members = {
    ...{ version: update.version, bundleId: update.bundleId, checksum: update.sha256, size: update.size },
    nativeRange: update.nativeRange,
  };
  const offered: Members = { ...offer, nativeRange: offeredRange(offer) };
  for (const [name, value] of Object.entries(stated)) {
    if (offered[name] === value) continue;
    throw new Rejection('offer_mismatch', `The offer's ${name} is ${shown(offered[name])}, not ${shown(value)}.`);
  }
}

/** @internal The range of native versions that an offer has in one of two members. */
export function offeredRange({ nativeRange, minNativeVersion: minimum }: Members): unknown {
  return nativeRange ?? (typeof minimum === 'string' ? `>=${minimum}` : minimum);
}

/** The statement of a response, verified: signature, app, channel and time. */
async function statementOf(
  type: 'channelState' | 'manifest',
  response: Members,
  trust: Trust,
  now: Date,
): Promise<Members> {
  const text = response[type];
  if (typeof text !== 'string') throw new Rejection('statement_missing', `The response has no ${type}.`);
  if (!(await isSigned(new TextEncoder().encode(text), signaturesOf(response, `${type}Signature`), trust.keys))) {
    throw new Rejection('signature_invalid', `No pinned key signed the ${type}.`);
  }
  const statement = membersOf(parsed(text));
  if (statement['type'] !== type) throw new Rejection('statement_malformed', `The ${type} is none.`);
  if (statement['appId'] !== trust.appId) {
    throw new Rejection('wrong_app', `The ${type} is of app ${shown(statement['appId'])}.`);
  }
  if (statement['channel'] !== trust.channel) {
    throw new Rejection('wrong_channel', `The ${type} is of the channel ${shown(statement['channel'])}.`);
  }
  const expires = Date.parse(textOf(statement, 'expires'));
  if (Number.isNaN(expires)) throw new Rejection('statement_malformed', `The ${type} has no time of expiry.`);
  if (now.getTime() >= expires)
    throw new Rejection('expired', `The ${type} expired at ${textOf(statement, 'expires')}.`);
  return statement;
}

/** The oldest key's, and while more than one key signs, each key's: all signatures of one thing in a response. */
export function signaturesOf(response: Members, name: string): string[] {
  const list = response[`${name}s`];
  const all = [response[name], ...(Array.isArray(list) ? list : []).map((each) => membersOf(each)['signature'])];
  return all.filter((each) => typeof each === 'string');
}

/**
 * Whether any of the keys made any of the signatures over these bytes.
 * @internal
 * @throws when a key is not an RSA public key in PEM
 */
export async function isSigned(
  bytes: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  keys: readonly PinnedKey[],
): Promise<boolean> {
  for (const { publicKey, scheme } of keys) {
    const name = scheme === 'pss' ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
    const spki = fromBase64(publicKey.replace(/-----[A-Z ]+-----|\s/g, ''));
    if (spki === undefined) throw new TypeError('A pinned key is not PEM.');
    const key = await crypto.subtle.importKey('spki', spki, { name, hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures.map(fromBase64)) {
      if (signature === undefined) continue;
      if (await crypto.subtle.verify({ name, saltLength: 32 }, key, signature, bytes)) return true;
    }
  }
  return false;
}

/** Undefined for anything but the one spelling that these bytes have. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (unit) => unit.charCodeAt(0)) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Rejection('statement_malformed', 'A statement is not JSON.');
  }
}

export function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new Rejection('statement_malformed', 'A JSON object is expected.');
}

/** An object from JSON may have a member `toString`, which String would call. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textOf(members: Members, name: string): string {
  const value = members[name];
  if (typeof value === 'string') return value;
  throw new Rejection('statement_malformed', `\`${name}\` is not a text.`);
}

function integerOf(members: Members, name: string): number {
  const value = members[name];
  if (Number.isSafeInteger(value)) return value as number;
  throw new Rejection('statement_malformed', `\`${name}\` is not a whole number.`);
}

/** As Semantic Versioning orders them. False when either is no version. */
export function isNewer(version: string, current: string): boolean {
  const [a, b] = [partsOf(version), partsOf(current)];
  if (a === undefined || b === undefined) return false;
  for (const [at, number] of a.core.entries()) if (number !== b.core[at]) return number > (b.core[at] ?? 0);
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return a.prerelease.length < b.prerelease.length;
  for (const [at, part] of a.prerelease.entries()) {
    const other = b.prerelease[at];
    if (other === undefined) return true;
    if (part === other) continue;
    const [number, otherNumber] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (number && otherNumber) return Number(part) > Number(other);
    return number === otherNumber ? part > other : otherNumber;
  }
  return false;
}

/** Whether a version is in a range of comparators, as manifests have them; one that is no version is in every range. */
function isInRange(version: string, range: string): boolean {
  const meets = (comparator: string) => {
    const [, operator = '', bound = ''] = /^([<>]?=?)(.*)$/.exec(comparator) ?? [];
    const [isAbove, isBelow] = [isNewer(version, bound), isNewer(bound, version)];
    if (operator === '>') return isAbove || partsOf(version) === undefined;
    if (operator === '<') return isBelow || partsOf(version) === undefined;
    return operator === '>=' ? !isBelow : operator === '<=' ? !isAbove : !isAbove && !isBelow;
  };
  return range.split('||').some((comparators) => comparators.trim().split(/\s+/).every(meets));
}

/** Lenient, as the server reads what devices send: `1.2` is 1.2.0, a fourth number is left out. */
function partsOf(version: string) {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(version);
  if (match === null) return undefined;
  const [, major, minor = '0', patch = '0', prerelease] = match;
  return { core: [major, minor, patch].map(Number), prerelease: prerelease?.split('.') ?? [] };
}
