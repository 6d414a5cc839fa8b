import type { FileIndex } from '@sluice/contracts';
import { LRUCache } from 'lru-cache';
import { parseVersion } from '@sluice/kernel';
import type { FileIndexes } from '../../files/file-indexes';
import type { ServedBuild } from '../../serving/served-builds';

/** A file of a bundle: clients download those that they do not have. */
export interface CapgoFile {
  readonly file_name: string;
  readonly file_hash: string;
  readonly download_url: string;
}

/** A manifest of more would make the response larger than many updates. */
const MAX_FILES = 2_000;
const REMEMBERED_PLUGINS = 500;
/** Of a version of the plugin. */
const MAX_LENGTH = 50;
/** The first version of each major version that downloads files one by one; later major versions all do. */
const SINCE: ReadonlyMap<number, string> = new Map([
  [5, '5.10.0'],
  [6, '6.25.0'],
  [7, '7.0.35'],
]);
const FIRST_TO_ALWAYS = 8;

const understood = new LRUCache<string, boolean>({ max: REMEMBERED_PLUGINS });

/** Whether a client of this version downloads the files of a manifest. That for Electron would download the zip as well. */
export function takesManifest(pluginVersion: string): boolean {
  if (pluginVersion.length > MAX_LENGTH) return false;
  const known = understood.get(pluginVersion);
  if (known !== undefined) return known;
  const takes = isSince(pluginVersion);
  understood.set(pluginVersion, takes);
  return takes;
}

function isSince(text: string): boolean {
  const version = parseVersion(text);
  const major = Number(/^v?(\d+)/.exec(text)?.[1]);
  if (version === undefined || Number.isNaN(major)) return false;
  const since = parseVersion(SINCE.get(major) ?? '');
  return since === undefined ? major >= FIRST_TO_ALWAYS : version.compare(since) >= 0;
}

/**
 * The files of the build for a manifest. Undefined: its index is not in memory yet, and is loaded for later checks; or its
 * clients have to download the zip.
 */
export function manifestOf(build: ServedBuild, files: FileIndexes): readonly CapgoFile[] | undefined {
  const index = files.peek(build);
  if (index === undefined) {
    // The offer is complete without a manifest.
    void files.load(build).catch(() => undefined);
    return undefined;
  }
  return isForManifest(index) ? index.files.map((file) => entryOf(build, file, files)) : undefined;
}

function entryOf(build: ServedBuild, file: FileIndex['files'][number], files: FileIndexes): CapgoFile {
  return { file_name: file.path, file_hash: file.sha256, download_url: files.fileUrl(build, file) };
}

/** Clients take a file whose name ends in .br for a compressed one, and remove that from its name. */
function isForManifest({ files }: FileIndex): boolean {
  return files.length <= MAX_FILES && !files.some(({ path }) => path.endsWith('.br'));
}
