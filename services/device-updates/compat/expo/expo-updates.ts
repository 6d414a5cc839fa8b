import { createHash } from 'node:crypto';
import { signDigest } from '@sluice/contracts';
import { DomainError, newCommandId } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { LRUCache } from 'lru-cache';
import { serializeDictionary } from 'structured-headers';
import type { FileIndexes } from '../../files/file-indexes';
import { asciiJson, type PreparedAnswer } from '../../serving/prepared-answer';
import type { ReleaseTimes } from '../../serving/release-times';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServingIndex } from '../../serving/serving-index';
import type { KeySignature } from '../../signing/signed-statements';
import { CONFIG_FILES, expoManifest, METADATA_FILE } from './expo-manifest';
import { type ExpoType, SIGNATURE_ALGORITHM } from './expo-request';
import { type UpdatePlatform, updateIdOf } from './expo-update-id';

export interface ExpoUpdatesOptions {
  readonly index: ServingIndex;
  readonly times: ReleaseTimes;
  readonly files: FileIndexes;
  readonly messaging: Pick<Messaging, 'request'>;
}

/** How a client takes a response. */
export interface Wish {
  readonly type: ExpoType;
  /** Of the key by which it verifies; undefined: it verifies nothing. */
  readonly keyId: string | undefined;
}

type Prepared = PreparedAnswer | Promise<PreparedAnswer>;

/** What all responses to Expo's clients have: without the first, they are taken for those of an earlier protocol. */
export const EXPO_HEADERS = { 'expo-protocol-version': '1', 'expo-sfv-version': '0' };
const ANSWER_HEADERS = {
  ...EXPO_HEADERS,
  'Cache-Control': 'private, max-age=0',
  'X-Content-Type-Options': 'nosniff',
};
/** No line of JSON begins as its delimiter does. */
const BOUNDARY = 'sluice-expo-update';
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;
/** A manifest, the response with it, and one with it signed. */
const COPIES = 5;
const MAX_METADATA_BYTES = 1024 * 1024;
const MAX_CONFIG_BYTES = 256 * 1024;

/** A manifest or a directive, with the responses that carry it. */
interface Part {
  readonly name: 'manifest' | 'directive';
  readonly appId: number;
  /** JSON in ASCII. */
  readonly text: string;
  readonly answers: Map<string, PreparedAnswer>;
  signed?: { readonly revision: number | undefined; readonly signatures: readonly KeySignature[] };
  signing?: Promise<void>;
}

/** Manifests and directives, each made and signed once for as long as it is in memory. */
export class ExpoUpdates {
  /** By platform. An error: the build is no export for it. */
  private readonly manifests = { ios: remembered<ServedBuild>(), android: remembered<ServedBuild>() };
  private readonly directives = remembered<string>();
  private readonly preparing = new Map<string, Promise<Part | DomainError>>();

  constructor(private readonly options: ExpoUpdatesOptions) {}

  /** @throws DomainError BUILD_NOT_FOUND when it is no export; UnavailableError; as `signed` */
  offer(build: ServedBuild, platform: UpdatePlatform, wish: Wish): Prepared {
    const known = this.manifests[platform].get(build);
    if (known instanceof DomainError) throw known;
    if (known !== undefined) return this.answer(known, wish);
    return this.prepare(build, platform).then((part) => {
      if (part instanceof DomainError) throw part;
      return this.answer(part, wish);
    });
  }

  /** @param commitTime milliseconds since 1970. @throws as `signed` */
  rollBackToEmbedded(appId: number, commitTime: number, wish: Wish): Prepared {
    const key = `${appId}/${commitTime}`;
    let part = this.directives.get(key);
    if (part === undefined || part instanceof DomainError) {
      const parameters = { commitTime: new Date(commitTime).toISOString() };
      const text = asciiJson({ type: 'rollBackToEmbedded', parameters });
      part = { name: 'directive', appId, text, answers: new Map() };
      this.directives.set(key, part);
    }
    return this.answer(part, wish);
  }

  private prepare(build: ServedBuild, platform: UpdatePlatform): Promise<Part | DomainError> {
    const id = updateIdOf(build, platform);
    const running = this.preparing.get(id);
    if (running !== undefined) return running;
    const preparing = this.manifest(build, platform, id)
      .catch((error: unknown) => {
        if (error instanceof DomainError && error.code === 'BUILD_NOT_FOUND') return error;
        throw error;
      })
      .then((part) => {
        this.manifests[platform].set(build, part);
        return part;
      })
      .finally(() => this.preparing.delete(id));
    this.preparing.set(id, preparing);
    return preparing;
  }

  private async manifest(build: ServedBuild, platform: UpdatePlatform, id: string): Promise<Part> {
    const { files, times } = this.options;
    const { appId, version } = build.facts;
    const releasedAt = times.of(build);
    const { fingerprint: runtimeVersion } = build;
    if (runtimeVersion === undefined || releasedAt === undefined) {
      const why =
        runtimeVersion === undefined ? 'it has no fingerprint, which is the runtime version' : 'it was never active';
      throw new DomainError('BUILD_NOT_FOUND', `Build ${version} cannot be offered to clients of Expo: ${why}.`);
    }
    const text = async (path: string, maxBytes: number) =>
      (await files.content(build, path, maxBytes))?.toString('utf8');
    const manifest = expoManifest({
      ...{ id, platform, version, runtimeVersion, createdAt: new Date(releasedAt) },
      files: await files.load(build),
      metadata: await text(METADATA_FILE, MAX_METADATA_BYTES),
      config: (await text(CONFIG_FILES[0], MAX_CONFIG_BYTES)) ?? (await text(CONFIG_FILES[1], MAX_CONFIG_BYTES)),
      urlOf: (file) => files.fileUrl(build, file),
    });
    return { name: 'manifest', appId, text: asciiJson(manifest), answers: new Map() };
  }

  /** @throws DomainError INVALID_REQUEST for a key that does not sign; UnavailableError while it can't be signed */
  private answer(part: Part, { type, keyId }: Wish): Prepared {
    if (keyId === undefined) return prepared(part, type);
    const revision = this.options.index.signerRevision(part.appId);
    if (part.signed === undefined || part.signed.revision !== revision) {
      part.signing ??= this.sign(part).finally(() => delete part.signing);
      return part.signing.then(() => this.answer(part, { type, keyId }));
    }
    const { signatures } = part.signed;
    const made = signatures.find(({ key_id: id }) => String(id) === keyId);
    if (made !== undefined) return prepared(part, type, made);
    const ids = signatures.map(({ key_id: id }) => `"${id}"`);
    const what =
      ids.length === 0 ? 'The app has no signing key.' : `The keyid of the signing key is ${ids.join(' or ')}.`;
    throw new DomainError('INVALID_REQUEST', `No key "${keyId.slice(0, 100)}" signs the updates of this app. ${what}`);
  }

  private async sign(part: Part): Promise<void> {
    const { index, messaging } = this.options;
    const { appId, text } = part;
    const revision = index.signerRevision(appId);
    const digest = createHash('sha256').update(text).digest('hex');
    const caller = { actor: 'system:expo-updates', commandId: newCommandId() };
    const { signatures } = await messaging.request(signDigest, { appId, digest, scheme: 'pkcs1v15' }, caller);
    part.answers.clear();
    part.signed = { revision, signatures };
  }
}

function remembered<K extends object | string>() {
  return new LRUCache<K, Part | DomainError>({
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (part) => (part instanceof DomainError ? 1_000 : 1_000 + COPIES * part.text.length),
  });
}

function prepared({ name, text, answers }: Part, type: ExpoType, by?: KeySignature): PreparedAnswer {
  const key = `${type} ${by?.key_id ?? ''}`;
  const known = answers.get(key);
  if (known !== undefined) return known;
  const signature = by && {
    'expo-signature': serializeDictionary({ sig: by.signature, keyid: String(by.key_id), alg: SIGNATURE_ALGORITHM }),
  };
  const answer = type === 'multipart/mixed' ? multipart(name, text, signature) : alone(text, type, signature);
  answers.set(key, answer);
  return answer;
}

type Headers = Readonly<Record<string, string>>;

/** A client for iOS finds the headers of a part by their lower-case names alone. */
function multipart(name: string, text: string, signature: Headers = {}): PreparedAnswer {
  const partHeaders = {
    'content-disposition': `inline; name="${name}"`,
    'content-type': 'application/json; charset=utf-8',
    ...signature,
  };
  const lines = Object.entries(partHeaders).map((pair) => `${pair.join(': ')}\r\n`);
  const body = `--${BOUNDARY}\r\n${lines.join('')}\r\n${text}\r\n--${BOUNDARY}--\r\n`;
  return expoAnswer(200, body, { 'Content-Type': `multipart/mixed; boundary=${BOUNDARY}` });
}

function alone(text: string, type: ExpoType, signature: Headers = {}): PreparedAnswer {
  return expoAnswer(200, text, { 'Content-Type': type, ...signature });
}

/** @param body in ASCII */
export function expoAnswer(status: number, body: string, headers: Headers = {}): PreparedAnswer {
  const length = status === 204 ? {} : { 'Content-Length': String(body.length) };
  const all = Object.entries({ ...headers, ...ANSWER_HEADERS, ...length, Vary: 'Origin' }).flat();
  return { status, headers: all, body, ...(status === 200 && { bytes: Buffer.from(body, 'latin1') }) };
}
