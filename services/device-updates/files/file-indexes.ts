import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createInflateRaw } from 'node:zlib';
import { fileIndexKey, type FileIndex, type IndexedFile } from '@sluice/contracts';
import { DomainError, UnavailableError } from '@sluice/kernel';
import { type ByteRange, ObjectNotFoundError, type ObjectStore } from '@sluice/object-store';
import type { Vault } from '@sluice/vault';
import { LRUCache } from 'lru-cache';
import { FILES_BASE } from '../http/unrouted';
import type { ServedBuild } from '../serving/served-builds';

export interface FileIndexesOptions {
  readonly objects: Pick<ObjectStore, 'get'>;
  /** Signs the addresses of files; never changes. */
  readonly key: Buffer;
  readonly publicUrl: () => string;
}

/** Under the purpose of the key that signs download URLs. A rotation of that key does not change it. */
const KEY_ID = 'data-key:download-url:files';
/** Of indexes in memory, as JSON; parsed, they take about twice as much. */
const REMEMBERED_BYTES = 32 * 1024 * 1024;

/** About 30,000 files. Parsing more would keep other requests waiting. */
const MAX_INDEX_BYTES = 8 * 1024 * 1024;
const RETRY_SECONDS = 10;

/** The same on every process; made at the first use. */
export async function fileAddressKey(vault: Pick<Vault, 'seal' | 'open'>): Promise<Buffer> {
  await vault.seal(KEY_ID, randomBytes(32));
  const key = await vault.open(KEY_ID);
  if (key === undefined) throw new Error('The key of file addresses was deleted while it was read.');
  return key;
}

/** The files in the bundles of builds: those that were used last are in memory. */
export class FileIndexes {
  /** By object key: copies of a build share their bundle. */
  private readonly known = new LRUCache<string, FileIndex>({ maxSize: REMEMBERED_BYTES });
  private readonly loading = new Map<string, Promise<FileIndex>>();
  private readonly byHash = new WeakMap<FileIndex, ReadonlyMap<string, IndexedFile>>();

  constructor(private readonly options: FileIndexesOptions) {}

  /** Undefined: it is not in memory. */
  peek({ facts }: ServedBuild): FileIndex | undefined {
    return this.known.get(facts.objectKey);
  }

  /** @throws UnavailableError while there is no index yet; ObjectStoreUnavailableError; DomainError for too many files, and for an encrypted bundle */
  async load(build: ServedBuild): Promise<FileIndex> {
    const { objectKey, delivery } = build.facts;
    if (delivery !== undefined) throw new DomainError('NOT_FOUND', 'This build is encrypted: its files are unknown.');
    const known = this.known.get(objectKey);
    if (known !== undefined) return known;
    const begun = this.loading.get(objectKey);
    if (begun !== undefined) return begun;
    const loading = this.read(objectKey);
    this.loading.set(objectKey, loading);
    const forget = () => this.loading.delete(objectKey);
    loading.then(forget, (error: unknown) => {
      // That there are too many files never changes.
      if (isTooLarge(error)) return;
      // Asked for by each check meanwhile, and there at the earliest in some seconds.
      if (error instanceof DomainError) setTimeout(forget, RETRY_SECONDS * 1_000).unref();
      else forget();
    });
    return loading;
  }

  /** One small file. Undefined: the bundle has none at this path, or it has more bytes. @throws as load */
  async content(build: ServedBuild, path: string, maxBytes: number): Promise<Buffer | undefined> {
    const { files } = await this.load(build);
    const file = files.find((each) => each.path === path);
    if (file === undefined || file.size > maxBytes) return undefined;
    return buffer(await this.unpack(build, file));
  }

  /** The immutable address of one file of the build. */
  fileUrl({ facts }: ServedBuild, { sha256 }: Pick<IndexedFile, 'sha256'>): string {
    const capability = this.capabilityOf(facts.appId, sha256);
    return `${this.options.publicUrl()}${FILES_BASE}${capability}/${sha256}?bundle=${facts.bundleId}`;
  }

  /** Whether fileUrl made it for a file of the app with this hash. */
  isCapability(given: string, appId: number, sha256: string): boolean {
    const expected = Buffer.from(this.capabilityOf(appId, sha256));
    const actual = Buffer.from(given);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** @throws as load */
  async findByHash(build: ServedBuild, sha256: string): Promise<IndexedFile | undefined> {
    const index = await this.load(build);
    let byHash = this.byHash.get(index);
    if (byHash === undefined) {
      byHash = new Map(index.files.map((file) => [file.sha256, file]));
      this.byHash.set(index, byHash);
    }
    return byHash.get(sha256);
  }

  /**
   * The content of a file, read from its part of the zip.
   * @param range of a file that is not deflated
   * @throws ObjectNotFoundError, ObjectStoreUnavailableError
   */
  async unpack({ facts }: ServedBuild, file: IndexedFile, range?: ByteRange): Promise<Readable> {
    const { objects } = this.options;
    const { offset, compressedSize, deflated } = file;
    if (compressedSize === 0) return Readable.from([]);
    const { start, end } = range ?? { start: 0, end: compressedSize - 1 };
    const packed = await objects.get(facts.objectKey, { start: offset + start, end: offset + end });
    if (!deflated) return packed;
    const inflate = createInflateRaw();
    packed.once('error', (error) => inflate.destroy(error));
    inflate.once('close', () => packed.destroy());
    return packed.pipe(inflate);
  }

  private capabilityOf(appId: number, sha256: string): string {
    return createHmac('sha256', this.options.key).update(`${appId}:${sha256}`).digest('base64url');
  }

  private async read(objectKey: string): Promise<FileIndex> {
    const bytes = await this.options.objects.get(fileIndexKey(objectKey)).then(upToLimit, (error: unknown) => {
      if (!(error instanceof ObjectNotFoundError)) throw error;
      throw new UnavailableError('The files of this build are being indexed. Try again shortly.', RETRY_SECONDS, 'no');
    });
    const index = JSON.parse(bytes.toString('utf8')) as FileIndex;
    this.known.set(objectKey, index, { size: bytes.length });
    return index;
  }
}

/** @throws DomainError beyond MAX_INDEX_BYTES */
async function upToLimit(source: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_INDEX_BYTES) {
      throw new DomainError('NOT_FOUND', 'This build has too many files to be listed one by one.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether a build has too many files to be read one by one, or is encrypted, which never changes. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'NOT_FOUND';
}
