import { messageOf, UpdateError } from './errors.js';
import { concat } from './storage.js';

export interface UnzipLimits {
  /** Of all files together, unpacked, in bytes. Default: 512 MiB. */
  readonly maxBytes?: number;
  /** Default: 65,535, which is the most that a zip archive without extensions holds. */
  readonly maxFiles?: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UNIX_LINK = 0o120000;
const UNIX_TYPE = 0o170000;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packedSize: number;
  readonly size: number;
  readonly crc32: number;
  readonly offset: number;
}

/**
 * Unpacks a zip archive in memory: its files by path, without folders. Verify the archive first. Every path is relative,
 * has `/` between its parts, and does not leave the folder that it is unpacked into.
 * @throws UpdateError `invalid_zip` for an archive that is damaged, encrypted or above a limit, that uses zip64 or links,
 * or that has a path that is unsafe or occurs twice
 */
export async function unzip(archive: Uint8Array, limits: UnzipLimits = {}): Promise<Map<string, Uint8Array>> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const files = new Map<string, Uint8Array>();
  for (const entry of entriesOf(archive, view, limits)) {
    const start = read(() => dataStart(view, entry.offset));
    const packed = archive.subarray(start, start + entry.packedSize);
    const bytes = entry.method === STORED ? packed.slice() : await inflate(packed, entry);
    if (bytes.length !== entry.size || crc32(bytes) !== entry.crc32) throw fault(`${quoted(entry.name)} is damaged`);
    files.set(entry.name, bytes);
  }
  return files;
}

/** The files of the archive, each checked before anything is unpacked. */
function entriesOf(
  archive: Uint8Array,
  view: DataView,
  { maxBytes = 512 * 1024 * 1024, maxFiles = 0xffff }: UnzipLimits,
): Entry[] {
  const entries: Entry[] = [];
  const names = new Set<string>();
  let total = 0;
  for (const entry of read(() => directoryOf(archive, view))) {
    const { name, size } = entry;
    const isFolder = name.endsWith('/');
    const path = isFolder ? name.slice(0, -1) : name;
    if (isUnsafe(path)) throw fault(`the path ${quoted(name)} is unsafe`);
    if (isFolder) continue;
    if (names.has(name)) throw fault(`the path ${quoted(name)} occurs twice`);
    names.add(name);
    total += size;
    entries.push(entry);
    if (entries.length > maxFiles) throw fault(`it has more than ${maxFiles} files`);
    if (total > maxBytes) throw fault(`its files have more than ${maxBytes} bytes`);
  }
  return entries;
}

function directoryOf(archive: Uint8Array, view: DataView): Entry[] {
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffff_ffff) throw fault('it uses zip64');
  const entries: Entry[] = [];
  for (let left = count; left > 0; left -= 1) {
    if (view.getUint32(at, true) !== CENTRAL) throw fault('its directory is damaged');
    const nameLength = view.getUint16(at + 28, true);
    const nameStart = at + CENTRAL_BYTES;
    const name = new TextDecoder('utf-8', { fatal: true }).decode(archive.subarray(nameStart, nameStart + nameLength));
    const method = view.getUint16(at + 10, true);
    const entry = {
      ...{ name, method, crc32: view.getUint32(at + 16, true), packedSize: view.getUint32(at + 20, true) },
      ...{ size: view.getUint32(at + 24, true), offset: view.getUint32(at + 42, true) },
    };
    if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0) throw fault(`${quoted(name)} is encrypted`);
    if (method !== STORED && method !== DEFLATED) throw fault(`${quoted(name)} has the compression method ${method}`);
    if (((view.getUint32(at + 38, true) >>> 16) & UNIX_TYPE) === UNIX_LINK) throw fault(`${quoted(name)} is a link`);
    entries.push(entry);
    at = nameStart + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function endOf(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at -= 1) {
    if (view.getUint32(at, true) === END && view.getUint16(at + 20, true) === last - at) return at;
  }
  throw fault('it has no directory');
}

function dataStart(view: DataView, local: number): number {
  if (view.getUint32(local, true) !== LOCAL) throw fault('its records are damaged');
  return local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
}

/** Never holds more than the size that the directory states. */
async function inflate(packed: Uint8Array, { name, size }: Entry): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    const stream = new Blob([new Uint8Array(packed)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const reader = stream.getReader();
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
      length += value.length;
      if (length > size) {
        await reader.cancel();
        throw fault(`${quoted(name)} is larger than its directory states`);
      }
      parts.push(value);
    }
  } catch (error) {
    if (error instanceof UpdateError) throw error;
    throw fault(`${quoted(name)} can't be unpacked: ${messageOf(error)}`);
  }
  return concat(parts);
}

/** Whether a path may lead elsewhere than its parts say, on any system. */
function isUnsafe(path: string): boolean {
  return /[\\:\p{Cc}]/u.test(path) || path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffff_ffff) >>> 0;
}

/** A view throws a RangeError beyond its end, and the decoder a TypeError for bytes that are no text. */
function read<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UpdateError) throw error;
    throw fault(`it is damaged: ${messageOf(error)}`);
  }
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 200));

const fault = (message: string) => new UpdateError('invalid_zip', `The archive was rejected: ${message}.`);
