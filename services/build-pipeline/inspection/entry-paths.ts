import { isAscii, isUtf8 } from 'node:buffer';
import { EXTRA_UNICODE_PATH, FLAG_UTF8, type ExtraField } from './zip-records';

/** Names of devices on Windows, in any folder and with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/i;

/** Longer ones fit into no file system that bundles are unpacked on. */
const MAX_NAME_BYTES = 1_024;
const MAX_SEGMENT_BYTES = 255;

/**
 * The names of a bundle's entries, each safe to unpack and none in the way of another, also on Windows and on a
 * file system that ignores case or composes Unicode.
 */
export class EntryPaths {
  private readonly leaves = new Set<string>();
  private readonly folders = new Set<string>();

  /** Answers what is wrong with the name, after "The entry … ". */
  add(name: string, isFolder: boolean): string | undefined {
    const written = isFolder && name.endsWith('/') ? name.slice(0, -1) : name;
    const fault = faultOf(written);
    if (fault !== undefined) return fault;
    const path = foldCase(written);
    const parts = path.split('/');
    if (!isFolder) {
      if (this.leaves.has(path)) return 'has the name of an earlier entry, or one that differs only by case';
      if (this.folders.has(path)) return 'is a file or link where other entries need a folder';
      this.leaves.add(path);
      parts.pop();
    }
    for (let folder = parts; folder.length > 0; folder = folder.slice(0, -1)) {
      const parent = folder.join('/');
      if (this.folders.has(parent)) break;
      if (this.leaves.has(parent)) return 'lies in a folder where an earlier entry is a file or link';
      this.folders.add(parent);
    }
    return undefined;
  }
}

/** The same for names that any file system takes for the same: both ways, because ß, ſ and K have no lower or upper case alone. */
function foldCase(name: string): string {
  return name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD');
}

/**
 * What is wrong with the bytes of a name, after "The entry … ". Undefined means that every reader decodes the same name
 * from them: as UTF-8 for all, and no extra field offers another one.
 */
export function faultOfRawName(rawName: Buffer, flags: number, extraFields: readonly ExtraField[]): string | undefined {
  if (!isAscii(rawName)) {
    if ((flags & FLAG_UTF8) === 0) {
      return 'has characters outside ASCII in its name, which the archive does not mark as UTF-8, so devices may unpack it under another name. Rename the file, or use an archiver that marks UTF-8 names';
    }
    if (!isUtf8(rawName)) return 'has a name that is not valid UTF-8';
  }
  const unicodePath = extraFields.find(({ id }) => id === EXTRA_UNICODE_PATH);
  // A version byte and the CRC-32 of the raw name come before the name.
  if (unicodePath !== undefined && !unicodePath.data.subarray(5).equals(rawName)) {
    return 'has a second, different name in a Unicode path field';
  }
  return undefined;
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'has an empty name';
  if (name.includes('\0')) return 'has a zero byte in its name';
  if (/\p{Cc}/u.test(name)) return 'has a control character in its name';
  if (name.includes('\\')) return 'has a backslash in its name; zip paths are written with "/"';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'has an absolute path';
  if (name.includes(':')) return 'has a colon in its name, behind which Windows expects the name of a stream';
  const segments = name.split('/');
  if (segments.includes('..')) return 'leaves the folder that the bundle is unpacked into';
  if (segments.includes('') || segments.includes('.')) return 'has an empty or "." segment in its path';
  if (segments.some((segment) => /[. ]$/.test(segment))) {
    return 'has a name in its path that ends in a dot or a space, which Windows removes';
  }
  if (segments.some((segment) => WINDOWS_DEVICE.test(segment))) {
    return 'has a name in its path that is a device on Windows, such as CON, NUL or COM1. Rename it';
  }
  // What Info-ZIP takes for the version of a VMS file, and drops.
  if (/;[0-9]*$/.test(name)) return 'has a name that ends in ";" and digits, which some unpackers remove';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `has a path of more than ${MAX_NAME_BYTES} bytes`;
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)) {
    return `has a name of more than ${MAX_SEGMENT_BYTES} bytes in its path`;
  }
  return undefined;
}
