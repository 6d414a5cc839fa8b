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

/** The object that holds the file index of a bundle, as JSON. */
export function fileIndexKey(objectKey: string): string {
  return `${objectKey}${SUFFIX}`;
}

/** The bundle that an object belongs to: that of a file index, or the object itself. */
export function bundleKeyOf(key: string): string {
  return key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key;
}
