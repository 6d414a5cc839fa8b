import type { Channel } from '@sluice/contracts';
import { isUnavailable } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import { type FileIndexes, isTooLarge } from '../../files/file-indexes';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServingIndex } from '../../serving/serving-index';
import { packageHash } from './package-hash';

/** About 200 bytes each. */
const REMEMBERED = 20_000;
const REMEMBERED_CHANNELS = 1_000;
/** Of a channel, the latest releases: devices with packages of another server have nothing older. */
const SEARCHED = 100;
/** How long a build whose index could not be read is passed over. */
const RETRY_MS = 10_000;

type ByHash = ReadonlyMap<string, ServedBuild>;

/** The package hashes of builds, computed from their file indexes. */
export class PackageHashes {
  /** By object key: copies of a build share their bundle. */
  private readonly known = new LRUCache<string, string>({ max: REMEMBERED });
  /** Object keys of bundles whose index could not be read just now. */
  private readonly missing = new LRUCache<string, true>({ max: REMEMBERED, ttl: RETRY_MS });
  private readonly channels = new LRUCache<string, { readonly revision: number | undefined; readonly byHash: ByHash }>({
    max: REMEMBERED_CHANNELS,
  });
  private readonly searching = new Map<string, Promise<ByHash>>();

  constructor(
    private readonly index: Pick<ServingIndex, 'builds' | 'channelRevision'>,
    private readonly files: Pick<FileIndexes, 'load'>,
  ) {}

  /** Undefined: it has to be loaded. */
  peek({ facts }: ServedBuild): string | undefined {
    return this.known.get(facts.objectKey);
  }

  /** @throws as FileIndexes.load */
  async load(build: ServedBuild): Promise<string> {
    const known = this.peek(build);
    if (known !== undefined) return known;
    const { files } = await this.files.load(build);
    const hash = packageHash(files);
    this.known.set(build.facts.objectKey, hash);
    return hash;
  }

  /** Undefined: it can't be loaded now. */
  ifAvailable(build: ServedBuild): string | undefined | Promise<string | undefined> {
    const { objectKey } = build.facts;
    const known = this.peek(build);
    if (known !== undefined || this.missing.has(objectKey)) return known;
    return this.load(build).catch((error: unknown) => {
      if (!isUnavailable(error) && !isTooLarge(error)) throw error;
      this.missing.set(objectKey, true);
      return undefined;
    });
  }

  /** The build of the channel with this hash, the newest version of several; a promise if hashes have to be loaded. */
  find(appId: number, channel: Channel, hash: string): ServedBuild | undefined | Promise<ServedBuild | undefined> {
    const key = `${appId}/${channel}`;
    const revision = this.index.channelRevision(appId, channel);
    const known = this.channels.get(key);
    if (known !== undefined && known.revision === revision) return known.byHash.get(hash);
    const searchKey = `${key}/${revision}`;
    const searching =
      this.searching.get(searchKey) ??
      this.search(appId, channel, key, revision).finally(() => this.searching.delete(searchKey));
    this.searching.set(searchKey, searching);
    return searching.then((byHash) => byHash.get(hash));
  }

  private async search(appId: number, channel: Channel, key: string, revision: number | undefined): Promise<ByHash> {
    const latest = this.index.builds
      .ofApp(appId)
      .filter(({ facts, client }) => facts.channel === channel && facts.release !== undefined && client === undefined)
      // What republishes a build has its hash, and is not what devices got.
      .filter(({ isRepublished }) => !isRepublished)
      .sort((left, right) => (right.facts.release ?? 0) - (left.facts.release ?? 0))
      .slice(0, SEARCHED)
      .sort((left, right) => left.version.compare(right.version));
    const byHash = new Map<string, ServedBuild>();
    let isComplete = true;
    for (const build of latest) {
      const hash = await this.ifAvailable(build);
      if (hash === undefined) isComplete = false;
      else byHash.set(hash, build);
    }
    this.channels.set(key, { revision, byHash }, isComplete ? {} : { ttl: RETRY_MS });
    return byHash;
  }
}
