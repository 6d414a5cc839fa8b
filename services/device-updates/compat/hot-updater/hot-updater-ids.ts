import { UnavailableError } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import { type FileIndexes, isTooLarge } from '../../files/file-indexes';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServingIndex } from '../../serving/serving-index';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Bundles with hundreds of thousands of files have a larger one: their id is in `BUNDLE_ID` too. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_ID_BYTES = 200;
/** Read at a time. */
const AT_A_TIME = 4;
const REMEMBERED = 50_000;
/** For so long a build whose files are not known yet counts as one without an id. */
const UNKNOWN_MS = 10_000;

export function readUuid(text: string): string | undefined {
  const id = text.trim().toLowerCase();
  return UUID.test(id) ? id : undefined;
}

type BuildsById = ReadonlyMap<string, readonly ServedBuild[]>;

/** The ids that hot-updater's command has written into the bundles of builds. */
export class HotUpdaterIds {
  /** By object key, because copies of a build share their bundle. Empty: the bundle has no id. */
  private readonly known = new LRUCache<string, string>({ max: REMEMBERED });
  private readonly unreadable = new LRUCache<string, true>({ max: REMEMBERED, ttl: UNKNOWN_MS });
  private readonly reading = new Map<string, Promise<string | undefined>>();

  private readonly apps = new LRUCache<number, { readonly revision: number; readonly byId: BuildsById }>({
    ...{ maxSize: REMEMBERED, sizeCalculation: ({ byId }) => 1 + byId.size },
  });

  constructor(private readonly files: Pick<FileIndexes, 'content'>) {}

  /** Undefined: the bundle has no id. @throws as FileIndexes.load */
  async of(build: ServedBuild): Promise<string | undefined> {
    const { objectKey } = build.facts;
    const known = this.known.get(objectKey);
    if (known !== undefined) return known === '' ? undefined : known;
    const reading =
      this.reading.get(objectKey) ??
      this.read(build)
        .then((id) => {
          this.known.set(objectKey, id ?? '');
          return id;
        })
        .finally(() => this.reading.delete(objectKey));
    this.reading.set(objectKey, reading);
    return reading;
  }

  /** The builds of the app whose bundle has this id, in no order: copies of one have the same. */
  async find({ builds }: Pick<ServingIndex, 'builds'>, appId: number, id: string): Promise<readonly ServedBuild[]> {
    const revision = builds.revisionOf(appId);
    const before = this.apps.get(appId);
    if (before?.revision === revision) return before.byId.get(id) ?? [];
    const all = builds.ofApp(appId).filter(({ facts }) => facts.status !== 'processing');
    const found = all.filter(({ facts }) => this.known.get(facts.objectKey) === id);
    if (found.length > 0) return found;
    return (await this.index(appId, revision, all)).get(id) ?? [];
  }

  /** Looks at all builds of an app once for as long as they stay the same, or until one without known files may have them. */
  private async index(appId: number, revision: number, all: readonly ServedBuild[]): Promise<BuildsById> {
    const unread = all.filter(({ facts }) => !this.known.has(facts.objectKey) && !this.unreadable.has(facts.objectKey));
    const next = unread.values();
    const readOn = async (): Promise<void> => {
      for (const build of next) await this.tryToRead(build);
    };
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, unread.length) }, readOn));
    const byId = new Map<string, ServedBuild[]>();
    for (const build of all) {
      const id = this.known.get(build.facts.objectKey);
      if (id === undefined || id === '') continue;
      const same = byId.get(id);
      if (same === undefined) byId.set(id, [build]);
      else same.push(build);
    }
    const isWhole = all.every(({ facts }) => this.known.has(facts.objectKey));
    this.apps.set(appId, { revision, byId }, isWhole ? {} : { ttl: UNKNOWN_MS });
    return byId;
  }

  private async tryToRead(build: ServedBuild): Promise<void> {
    try {
      await this.of(build);
    } catch (error) {
      // One build without an index must not keep the devices of the others from their updates.
      if (!(error instanceof UnavailableError)) throw error;
      this.unreadable.set(build.facts.objectKey, true);
    }
  }

  private async read(build: ServedBuild): Promise<string | undefined> {
    try {
      const manifest = await this.files.content(build, 'manifest.json', MAX_MANIFEST_BYTES);
      const id = manifest && idIn(manifest.toString('utf8'));
      if (id !== undefined) return id;
      const alone = await this.files.content(build, 'BUNDLE_ID', MAX_ID_BYTES);
      return alone && readUuid(alone.toString('utf8'));
    } catch (error) {
      if (isTooLarge(error)) return undefined;
      throw error;
    }
  }
}

function idIn(manifest: string): string | undefined {
  try {
    const { bundleId } = Object(JSON.parse(manifest)) as { readonly bundleId?: unknown };
    return typeof bundleId === 'string' ? readUuid(bundleId) : undefined;
  } catch {
    return undefined;
  }
}
