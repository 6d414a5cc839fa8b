import type { FileIndex, IndexedFile } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { lookup } from 'mime-types';
import { z } from 'zod';
import type { UpdatePlatform } from './expo-update-id';

/** Of a bundle that is a folder made by `expo export`. */
export const METADATA_FILE = 'metadata.json';
/** The public configuration of the app, the first of these that the bundle has. */
export const CONFIG_FILES = ['expoConfig.json', 'app.json'] as const;

const platformSchema = z.object({
  bundle: z.string(),
  // A client rejects an asset whose extension has a slash, and drops one that has none.
  assets: z.array(z.object({ path: z.string(), ext: z.string().regex(/^[\w.+-]{1,50}$/) })),
});
const metadataSchema = z.object({
  fileMetadata: z.object({ ios: platformSchema.optional(), android: platformSchema.optional() }),
});

export interface ExpoManifestFacts {
  readonly id: string;
  readonly createdAt: Date;
  readonly runtimeVersion: string;
  readonly version: string;
  readonly platform: UpdatePlatform;
  readonly files: FileIndex;
  /** The text of metadata.json; undefined: the bundle has none. */
  readonly metadata: string | undefined;
  /** The text of one of CONFIG_FILES. */
  readonly config: string | undefined;
  readonly urlOf: (file: IndexedFile) => string;
}

/** The manifest of protocol 1. @throws DomainError BUILD_NOT_FOUND when the bundle is no export for the platform */
export function expoManifest({ version, platform, files, metadata, config, urlOf, ...facts }: ExpoManifestFacts) {
  const fault = (what: string) =>
    new DomainError('BUILD_NOT_FOUND', `Build ${version} is no export for ${platform}: ${what}`);
  if (metadata === undefined)
    throw fault(`its bundle has no ${METADATA_FILE}. Upload the folder of "npx expo export".`);
  const read = metadataSchema.safeParse(jsonOf(metadata));
  if (!read.success) throw fault(`its ${METADATA_FILE} is not one of "npx expo export".`);
  const exported = read.data.fileMetadata[platform];
  if (exported === undefined) throw fault(`its ${METADATA_FILE} has no files for that platform.`);

  const byPath = new Map(files.files.map((file) => [file.path, file]));
  const fileAt = (path: string) => {
    const file = byPath.get(path);
    if (file === undefined) throw fault(`its bundle has no file "${path.slice(0, 200)}".`);
    return { hash: Buffer.from(file.sha256, 'hex').toString('base64url'), key: file.md5, url: urlOf(file) };
  };
  const expoClient = configOf(config);
  return {
    id: facts.id,
    createdAt: facts.createdAt.toISOString(),
    runtimeVersion: facts.runtimeVersion,
    launchAsset: { ...fileAt(exported.bundle), contentType: 'application/javascript', fileExtension: '.bundle' },
    assets: exported.assets.map(({ path, ext }) => ({
      ...fileAt(path),
      contentType: lookup(ext) || 'application/octet-stream',
      fileExtension: `.${ext}`,
    })),
    metadata: { version },
    extra: expoClient === undefined ? {} : { expoClient },
  };
}

/** `app.json` has the configuration as its member `expo`. Undefined: it is no object. */
function configOf(text: string | undefined): object | undefined {
  const read = text === undefined ? undefined : jsonOf(text);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  const { expo = read } = read as { readonly expo?: unknown };
  return typeof expo === 'object' && expo !== null ? expo : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
