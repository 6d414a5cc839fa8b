import { z } from 'zod';
import { defineCall } from './call';
import { idSchema } from './values';

/** A file of a bundle, and where its content is in the zip. */
export interface IndexedFile {
  /** With `/` between folders, as in the zip. */
  readonly path: string;
  /** Bytes, unpacked. */
  readonly size: number;
  /** Of the unpacked content, as the other sums: lower-case hex. */
  readonly sha256: string;
  /** Lower-case hex. */
  readonly md5: string;
  readonly crc32: number;
  /** Of the content as it is stored in the zip: bytes from the first byte of the zip. */
  readonly offset: number;
  /** Bytes in the zip. */
  readonly compressedSize: number;
  /** False: the zip holds the content as it is. */
  readonly deflated: boolean;
}

/** The files of a bundle; folders and symbolic links are left out. */
export interface FileIndex {
  /** In the order of the UTF-16 code units of their paths. */
  readonly files: readonly IndexedFile[];
}

const SUFFIX = '.files';

/** Keys of bundles begin with it, and those of the indexes of their files. */
export const BUNDLE_OBJECTS = 'bundles/';

/** The object that holds the file index of a bundle, as JSON. */
export function fileIndexKey(objectKey: string): string {
  return `${objectKey}${SUFFIX}`;
}

/** The bundle that an object belongs to: that of a file index, or the object itself. */
export function bundleKeyOf(key: string): string {
  return key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key;
}

const count = z.int().min(0);
const bytes = count.meta({ description: 'Bytes, unpacked.' });

/** The files of a build, and how they differ from those of another one. */
export const buildFilesSchema = z.object({
  build_id: idSchema,
  version: z.string(),
  files: count,
  size: bytes,
  compared_with: z.object({ build_id: idSchema, version: z.string(), files: count, size: bytes }).nullable().meta({
    description:
      'Null: there is no earlier build of its channel that it can be compared with. All its files are then added ones.',
  }),
  added: z.object({ files: count, size: bytes }),
  removed: z.object({ files: count, size: bytes }),
  changed: z.object({ files: count, size: bytes }).meta({ description: 'With their size in this build.' }),
  changes: z
    .array(
      z.object({
        path: z.string(),
        change: z.enum(['added', 'removed', 'changed']),
        size: bytes.nullable().meta({ description: 'Bytes, unpacked. Null: removed.' }),
        size_before: bytes.nullable().meta({ description: 'Bytes, unpacked. Null: added.' }),
      }),
    )
    .meta({ description: 'At most 100, those of the biggest files first.' }),
  biggest: z
    .array(z.object({ path: z.string(), size: bytes }))
    .meta({ description: 'The biggest files of the build, at most 10.' }),
});
export type BuildFiles = z.infer<typeof buildFilesSchema>;

/**
 * Without `compare`: compared with the previous build of its channel. Rejected with BUILD_NOT_FOUND for a build that was never
 * active, with NOT_FOUND for one with too many files and for an encrypted one, and with SERVICE_UNAVAILABLE while its files are being indexed.
 */
export const getBuildFiles = defineCall(
  'deviceUpdates.getBuildFiles',
  z.object({ appId: idSchema, id: idSchema, compare: idSchema.optional() }),
  buildFilesSchema,
);
