import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from 'yauzl';
import { EntryPaths } from './entry-paths';

/** Something about the bundle's content that no wait can mend; the message is for its uploader. */
export class BundleFault extends Error {
  override readonly name = 'BundleFault';
}

export interface ExpectedBundle {
  /** Bytes of the zip. */
  readonly size: number;
  /** Lower-case hex SHA-256 of the zip. */
  readonly checksum: string;
  /** Bytes that all entries together may have, unpacked. */
  readonly maxExpandedBytes: number;
}

/** As many as a zip without the zip64 extension can name. */
export const MAX_ENTRIES = 65_535;

const STORED = 0;
const DEFLATED = 8;
const MAX_LINK_BYTES = 4_096;
const CHUNK_BYTES = 65_536;

/**
 * Reads the whole bundle in constant memory: its size and SHA-256, then every entry of its central
 * directory against its local header, its name, its kind, its unpacked size and its CRC-32.
 * @throws BundleFault, naming the entry and its fault
 */
export async function inspectBundle(path: string, expected: ExpectedBundle): Promise<void> {
  await checkBytes(path, expected);
  const zip = await openPromise(path, { decodeStrings: false, validateEntrySizes: false, autoClose: false }).catch(
    (error: unknown) => {
      throw new BundleFault(`The bundle is damaged or no zip file: ${messageOf(error)}`);
    },
  );
  try {
    await checkEntries(zip, expected.maxExpandedBytes);
  } finally {
    zip.close();
  }
}

async function checkBytes(path: string, expected: ExpectedBundle): Promise<void> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let size = 0;
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      size += bytesRead;
      hash.update(chunk.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  if (size !== expected.size) {
    throw new BundleFault(`The stored bundle has ${size} bytes; the upload had ${expected.size}.`);
  }
  const checksum = hash.digest('hex');
  if (checksum !== expected.checksum) {
    throw new BundleFault(`The stored bundle has the SHA-256 ${checksum}; the upload had ${expected.checksum}.`);
  }
}

async function checkEntries(zip: ZipFile, maxExpandedBytes: number): Promise<void> {
  if (zip.entryCount > MAX_ENTRIES) {
    throw new BundleFault(`The bundle has ${zip.entryCount} entries; at most ${MAX_ENTRIES} are allowed.`);
  }
  const paths = new EntryPaths();
  let files = 0;
  let expandedBytes = 0;
  for await (const entry of entriesOf(zip)) {
    const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
    const refuse = (fault: string): never => {
      throw new BundleFault(`The entry ${quoted(name)} ${fault}.`);
    };
    const kind = kindOf(entry, name);
    const fault = paths.add(name, kind === 'directory') ?? faultOfHeader(entry, kind);
    if (fault !== undefined) refuse(fault);
    expandedBytes += entry.uncompressedSize;
    if (expandedBytes > maxExpandedBytes) {
      refuse(`brings the unpacked bundle to ${expandedBytes} bytes; at most ${maxExpandedBytes} are allowed`);
    }
    const content = await readEntry(zip, entry).catch((error: unknown) => refuse(`is damaged: ${messageOf(error)}`));
    if (kind === 'file') files += 1;
    if (kind === 'link' && !staysInTree(name, content.head.toString('utf8'))) {
      refuse('is a symbolic link that may lead out of the bundle');
    }
  }
  if (files === 0) throw new BundleFault('The bundle holds no file.');
}

async function* entriesOf(zip: ZipFile): AsyncIterable<Entry> {
  const entries = zip.eachEntry();
  let last = 'its first entry';
  for (;;) {
    const next = await entries.next().catch((error: unknown) => {
      throw new BundleFault(`The bundle's central directory is damaged at ${last}: ${messageOf(error)}`);
    });
    if (next.done) return;
    last = `the entry after ${quoted(next.value.fileNameRaw.toString('utf8'))}`;
    yield next.value;
  }
}

type Kind = 'file' | 'directory' | 'link' | 'special';

/** The Unix file type stands in the upper half of the external attributes; zero where it was not kept. */
function kindOf(entry: Entry, name: string): Kind {
  switch ((entry.externalFileAttributes >>> 16) & 0o170000) {
    case 0:
    case 0o100000:
      return name.endsWith('/') ? 'directory' : 'file';
    case 0o040000:
      return 'directory';
    case 0o120000:
      return 'link';
    default:
      return 'special';
  }
}

function faultOfHeader(entry: Entry, kind: Kind): string | undefined {
  if (kind === 'special') return 'is neither a file, a directory nor a symbolic link';
  if (entry.isEncrypted()) return 'is encrypted';
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    return `is compressed by method ${entry.compressionMethod}; devices unpack stored and deflated entries`;
  }
  if (kind === 'directory' && entry.uncompressedSize > 0) return 'is a directory with content';
  if (kind === 'link' && entry.uncompressedSize > MAX_LINK_BYTES) return 'is a symbolic link with a target too long';
  return undefined;
}

/** Unpacks the entry to nowhere; `head` is its content as far as MAX_LINK_BYTES. */
async function readEntry(zip: ZipFile, entry: Entry): Promise<{ readonly head: Buffer }> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  if (!local.fileName.equals(entry.fileNameRaw)) throw new Error('its local header has another name.');
  if (local.compressionMethod !== entry.compressionMethod || local.generalPurposeBitFlag & 1) {
    throw new Error('its local header contradicts the central directory.');
  }
  const content = await zip.openReadStreamPromise(entry);
  const head: Buffer[] = [];
  let size = 0;
  let sum = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (size < MAX_LINK_BYTES) head.push(chunk);
    size += chunk.length;
    if (size > entry.uncompressedSize)
      throw new Error(`it has more than the ${entry.uncompressedSize} bytes it tells.`);
    sum = crc32(chunk, sum);
  }
  if (size !== entry.uncompressedSize) throw new Error(`it has ${size} bytes, not ${entry.uncompressedSize}.`);
  if (sum !== entry.crc32) throw new Error(`its CRC-32 is ${hex(sum)}, not ${hex(entry.crc32)}.`);
  return { head: Buffer.concat(head).subarray(0, MAX_LINK_BYTES) };
}

/**
 * Whether the link stays within the bundle, whatever the other links are: `..` counts from the
 * link's own folder, which is a real one, and never follows a name, which might be a link itself.
 */
function staysInTree(name: string, target: string): boolean {
  if (!/^[^/\\\0][^\\\0]*$/.test(target) || /^[A-Za-z]:/.test(target)) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  const climbs = ups === -1 ? parts.length : ups;
  const depth = name.split('/').filter((part) => part !== '').length - 1;
  return climbs <= depth && !parts.slice(climbs).includes('..');
}

/** Safe to print: names are bytes that anyone may have chosen. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
