import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { FileIndex, IndexedFile } from '@sluice/contracts';
import { BundleFault, entryFault } from './bundle-fault';
import { EntryPaths, faultOfRawName } from './entry-paths';
import {
  checkDescriptor,
  EXTRA_ASI_UNIX,
  FLAG_DESCRIPTOR,
  FLAG_UTF8,
  readCentralDirectory,
  readLocalRecord,
  type CentralRecord,
} from './zip-records';

export interface UploadedBytes {
  /** Bytes of the bundle as it was uploaded. */
  readonly size: number;
  /** Their SHA-256 in lower-case hex. */
  readonly checksum: string;
}

export interface ExpectedBundle extends UploadedBytes {
  /** Bytes that all entries together may have, unpacked. */
  readonly maxExpandedBytes: number;
}

/** An entry that was checked: what it unpacks to, on every device. */
export interface CheckedEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link';
  readonly size: number;
  readonly crc32: number;
}

export interface InspectedBundle {
  /** In the order of the central directory. */
  readonly entries: readonly CheckedEntry[];
  readonly index: FileIndex;
}

const STORED = 0;
const DEFLATED = 8;
/** Flags that change nothing but how well the content is compressed. */
const FLAGS_DEFLATE = 0x0006;
const FLAG_ENCRYPTED = 0x0001;
const DOS_VOLUME_LABEL = 0x08;
const DOS_DIRECTORY = 0x10;
const MAX_LINK_BYTES = 4_096;
const CHUNK_BYTES = 65_536;

/**
 * Reads the whole bundle in constant memory: its size and SHA-256, then that its records follow each other without a
 * gap or overlap, so that readers of the central directory and readers of the local records see the same entries, then
 * the name, kind, unpacked size and CRC-32 of each. The hashes of the files come from the same reading of their content.
 * @throws BundleFault, naming the entry and its fault
 */
export async function inspectBundle(path: string, expected: ExpectedBundle): Promise<InspectedBundle> {
  const file = await open(path);
  try {
    await checkBytes(file, expected);
    const directory = await readCentralDirectory(file, expected.size);
    const found = checkDirectory(directory.records, expected.maxExpandedBytes);
    const files = await checkContents(file, directory.start, found);
    files.sort((left, right) => (left.path < right.path ? -1 : 1));
    return { entries: found.map(({ entry }) => entry), index: { files } };
  } finally {
    await file.close();
  }
}

async function checkBytes(file: FileHandle, expected: ExpectedBundle): Promise<void> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, size);
    if (bytesRead === 0) break;
    size += bytesRead;
    hash.update(chunk.subarray(0, bytesRead));
  }
  requireSameBytes({ size, checksum: hash.digest('hex') }, expected);
}

/** @throws BundleFault for other bytes than those of the upload */
export function requireSameBytes(stored: UploadedBytes, uploaded: UploadedBytes): void {
  if (stored.size !== uploaded.size) {
    throw new BundleFault(`The stored bundle has ${stored.size} bytes; the upload had ${uploaded.size}.`);
  }
  if (stored.checksum !== uploaded.checksum) {
    throw new BundleFault(`The stored bundle has the SHA-256 ${stored.checksum}; the upload had ${uploaded.checksum}.`);
  }
}

interface Found {
  readonly record: CentralRecord;
  readonly entry: CheckedEntry;
}

function checkDirectory(records: readonly CentralRecord[], maxExpandedBytes: number): Found[] {
  const paths = new EntryPaths();
  let expandedBytes = 0;
  const found = records.map((record): Found => {
    // Invalid bytes show as U+FFFD in the refusal, and get no further.
    const name = record.rawName.toString('utf8');
    const refuse = (fault: string) => entryFault(name, fault);
    const rawFault = faultOfRawName(record.rawName, record.flags, record.extraFields);
    if (rawFault !== undefined) throw refuse(rawFault);
    const kind = kindOf(record, name);
    const fault = paths.add(name, kind === 'directory') ?? faultOfRecord(record, kind, name);
    if (fault !== undefined || kind === 'special')
      throw refuse(fault ?? 'is neither a file, a directory nor a symbolic link');
    expandedBytes += record.size;
    if (expandedBytes > maxExpandedBytes) {
      throw refuse(`brings the unpacked bundle to ${expandedBytes} bytes; at most ${maxExpandedBytes} are allowed`);
    }
    return { record, entry: { name, kind, size: record.size, crc32: record.crc32 } };
  });
  if (!found.some(({ entry }) => entry.kind === 'file')) throw new BundleFault('The bundle holds no file.');
  return found;
}

/** In the order of the file: each record has to begin where the one before it ends. */
async function checkContents(
  file: FileHandle,
  directoryStart: number,
  found: readonly Found[],
): Promise<IndexedFile[]> {
  const files: IndexedFile[] = [];
  const inFile = found.toSorted((left, right) => left.record.offset - right.record.offset);
  let end = 0;
  for (const [index, { record, entry }] of inFile.entries()) {
    if (record.offset !== end) {
      throw entryFault(entry.name, 'is not at the start of the bundle: bytes that belong to no entry precede it');
    }
    const boundary = inFile[index + 1]?.record.offset ?? directoryStart;
    end = boundary;
    const damaged = (error: unknown) => entryFault(entry.name, `is damaged: ${messageOf(error).replace(/\.$/, '')}`);
    const local = await readLocalRecord(file, record).catch((error: unknown) => {
      throw damaged(error);
    });
    const fault = faultOfRawName(record.rawName, record.flags, local.extraFields) ?? faultOfMode(local, entry.kind);
    if (fault !== undefined) throw entryFault(entry.name, fault);
    const dataEnd = local.dataStart + record.compressedSize;
    const { head, hashes } = await checkDescriptor(file, record, dataEnd, boundary)
      .then(() => readContent(file, record, local.dataStart))
      .catch((error: unknown) => {
        throw damaged(error);
      });
    if (entry.kind === 'link' && !staysInTree(entry.name, head.toString('utf8'))) {
      throw entryFault(entry.name, 'is a symbolic link that may lead out of the bundle');
    }
    if (entry.kind !== 'file') continue;
    const { compressedSize, method } = record;
    files.push({
      ...{ path: entry.name, size: entry.size, ...hashes, crc32: entry.crc32 },
      ...{ offset: local.dataStart, compressedSize, deflated: method === DEFLATED },
    });
  }
  return files;
}

type Kind = CheckedEntry['kind'] | 'special';

/** The Unix file type is in the upper half of the external attributes, zero where the archiver left it out. */
function kindOf({ externalAttributes }: CentralRecord, name: string): Kind {
  return kindOfMode(externalAttributes >>> 16, name);
}

function kindOfMode(mode: number, name: string): Kind {
  switch (mode & 0o170000) {
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

function faultOfRecord(record: CentralRecord, kind: Kind, name: string): string | undefined {
  const { flags, method, size, compressedSize, externalAttributes } = record;
  if (kind === 'directory' && !name.endsWith('/')) return 'is a directory whose name does not end in "/"';
  if (kind !== 'directory' && (externalAttributes & DOS_DIRECTORY) !== 0) {
    return 'is marked both as a directory and as a file';
  }
  if ((externalAttributes & DOS_VOLUME_LABEL) !== 0) return 'is marked as the label of a disk';
  if ((flags & FLAG_ENCRYPTED) !== 0) return 'is encrypted';
  const unknownFlags = flags & ~(FLAGS_DEFLATE | FLAG_DESCRIPTOR | FLAG_UTF8);
  if (unknownFlags !== 0) return `has the flags 0x${unknownFlags.toString(16)}, which not every device can read`;
  if (method !== STORED && method !== DEFLATED) {
    return `is compressed by method ${method}; devices unpack stored and deflated entries`;
  }
  if (kind === 'directory' && size > 0) return 'is a directory with content';
  if (kind === 'link' && size > MAX_LINK_BYTES) return 'is a symbolic link with a target too long';
  if (method === STORED && compressedSize !== size) {
    return `is damaged: it is stored in ${compressedSize} bytes, but has ${size}`;
  }
  return faultOfMode(record, kind);
}

/** Some unpackers take the file type from this field: it must name no other. */
function faultOfMode({ extraFields }: Pick<CentralRecord, 'extraFields'>, kind: Kind): string | undefined {
  const asi = extraFields.find(({ id }) => id === EXTRA_ASI_UNIX)?.data;
  if (asi === undefined) return undefined;
  // A CRC-32 comes before the mode; the slash of a directory's name is known by now.
  const named = asi.length < 6 ? 'special' : kindOfMode(asi.readUInt16LE(4), kind === 'directory' ? '/' : '');
  return named === kind ? undefined : 'has another file type in a Unix extra field';
}

/** Of a data descriptor, of a local record and of one in the directory. */
const SIGNATURES = ['PK\x07\x08', 'PK\x03\x04', 'PK\x01\x02'];
const SIGNATURE_BYTES = 4;

interface Content {
  /** Its first bytes, MAX_LINK_BYTES at most. */
  readonly head: Buffer;
  readonly hashes: Pick<IndexedFile, 'sha256' | 'md5'>;
}

/** Unpacks the content to nowhere. */
async function readContent(file: FileHandle, record: CentralRecord, start: number): Promise<Content> {
  const source = Readable.from(chunksOf(file, start, record.compressedSize));
  const inflate = record.method === DEFLATED ? createInflateRaw() : undefined;
  if (inflate) source.once('error', (error: Error) => inflate.destroy(error)).pipe(inflate);
  const head: Buffer[] = [];
  // Where the size comes only behind stored content, a reader of local records has to search for its end.
  const endIsSearched = record.method === STORED && (record.flags & FLAG_DESCRIPTOR) !== 0;
  let tail: Buffer = Buffer.alloc(0);
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  let size = 0;
  let sum = 0;
  try {
    for await (const chunk of (inflate ?? source) as AsyncIterable<Buffer>) {
      if (size < MAX_LINK_BYTES) head.push(chunk);
      size += chunk.length;
      if (size > record.size) throw new Error(`it has more than the ${record.size} bytes that its header states.`);
      sum = crc32(chunk, sum);
      sha256.update(chunk);
      md5.update(chunk);
      if (!endIsSearched) continue;
      const searched = Buffer.concat([tail, chunk]);
      if (SIGNATURES.some((signature) => searched.includes(signature))) {
        throw new Error('it is stored with a data descriptor, and its content holds what ends an entry. Compress it.');
      }
      tail = searched.subarray(-SIGNATURE_BYTES + 1);
    }
  } finally {
    source.destroy();
  }
  // Readers of local records continue where the compressed content ends, whatever size the directory gives.
  const unread = inflate ? record.compressedSize - inflate.bytesWritten : 0;
  if (unread > 0) throw new Error(`${unread} bytes that belong to no entry follow its compressed content.`);
  if (size !== record.size) throw new Error(`it has ${size} bytes, not ${record.size}.`);
  if (sum !== record.crc32) throw new Error(`its CRC-32 is ${hex(sum)}, not ${hex(record.crc32)}.`);
  return {
    head: Buffer.concat(head).subarray(0, MAX_LINK_BYTES),
    hashes: { sha256: sha256.digest('hex'), md5: md5.digest('hex') },
  };
}

async function* chunksOf(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - done));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, start + done);
    if (bytesRead === 0) throw new Error('it runs past the end of the bundle.');
    done += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
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

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
