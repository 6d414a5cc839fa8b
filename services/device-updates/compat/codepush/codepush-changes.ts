import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { FileIndex, IndexedFile } from '@sluice/contracts';
import type { ObjectStore } from '@sluice/object-store';
import { SIGNATURE_FILE } from './package-hash';

/** A zip of the files by which a package differs from another, and the list of those that it no longer has. */
export interface PackageChanges {
  /** Bytes of the zip. */
  readonly size: number;
  readonly changed: readonly IndexedFile[];
  readonly list: Buffer;
}

/** The name of the list, by which clients recognise such a zip. */
const LIST = 'hotcodepush.json';

/** Larger ones, and those with more files, would need another form of zip. */
const MAX_SIZE = 0xffff_ffff;
const MAX_FILES = 0xffff - 1;
const LOCAL_HEADER = 30;
const CENTRAL_HEADER = 46;
const END = 22;
/** Between two files: fewer are read and left out, more begin another read. */
const MAX_GAP = 64 * 1024;

/** What leads from one package to another; undefined: only the whole package does. */
export function changesBetween(base: FileIndex, target: FileIndex): PackageChanges | undefined {
  const before = new Map(base.files.map((file) => [file.path, file.sha256]));
  const after = new Set(target.files.map(({ path }) => path));
  if (before.has(LIST) || after.has(LIST)) return undefined;
  // A folder of the base that is a file of the target would stay: only files are deleted.
  if (base.files.some(({ path }) => foldersOf(path).some((folder) => after.has(folder)))) return undefined;
  const changed = target.files.filter(({ path, sha256 }) => before.get(path) !== sha256);
  // A signature is no part of the hash: the package that the device has may contain one, although the base has none.
  const [folder = ''] = target.files[0]?.path.split('/') ?? [];
  const deleted = [...before.keys(), `${folder}/${SIGNATURE_FILE}`].filter((path) => !after.has(path));
  const deletedFiles = [...new Set(deleted)];
  const list = Buffer.from(JSON.stringify({ deletedFiles }));
  const bytesOf = (path: string, content: number) =>
    LOCAL_HEADER + CENTRAL_HEADER + 2 * Buffer.byteLength(path) + content;
  const size = changed.reduce(
    (sum, { path, compressedSize }) => sum + bytesOf(path, compressedSize),
    bytesOf(LIST, list.length) + END,
  );
  return changed.length > MAX_FILES || size > MAX_SIZE ? undefined : { size, changed, list };
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** The zip, of exactly `size` bytes. Packed contents are copied from the zip of the target. @throws what the store throws */
export function zipOfChanges(
  objects: Pick<ObjectStore, 'get'>,
  targetKey: string,
  { changed, list }: PackageChanges,
): Readable {
  return Readable.from(zipParts(objects, targetKey, changed, list), { objectMode: false });
}

async function* zipParts(
  objects: Pick<ObjectStore, 'get'>,
  targetKey: string,
  changed: readonly IndexedFile[],
  list: Buffer,
): AsyncGenerator<Buffer> {
  const central: Buffer[] = [];
  let offset = 0;
  const header = (entry: Entry): Buffer => {
    const name = Buffer.from(entry.path);
    const local = localHeader(entry, name);
    central.push(centralHeader(entry, name, offset));
    offset += local.length + entry.compressedSize;
    return local;
  };
  const size = list.length;
  yield header({ path: LIST, size, compressedSize: size, crc32: crc32(list), deflated: false });
  yield list;
  for (const span of spansOf(changed)) {
    for await (const { file, bytes } of contentsOf(objects, targetKey, span)) {
      if (bytes === undefined) yield header(file);
      else yield bytes;
    }
  }
  const bytes = Buffer.concat(central);
  yield bytes;
  yield endOf(central.length, bytes.length, offset);
}

type Entry = Pick<IndexedFile, 'path' | 'size' | 'compressedSize' | 'crc32' | 'deflated'>;

/** Files whose contents are near each other in the zip, in its order: each span is one read. */
function spansOf(files: readonly IndexedFile[]): IndexedFile[][] {
  const spans: IndexedFile[][] = [];
  let end = -Infinity;
  for (const file of [...files].sort((left, right) => left.offset - right.offset)) {
    if (file.offset - end > MAX_GAP || file.offset < end) spans.push([]);
    spans.at(-1)?.push(file);
    end = file.offset + file.compressedSize;
  }
  return spans;
}

/** Of each file first nothing, then its packed bytes in parts. */
async function* contentsOf(
  objects: Pick<ObjectStore, 'get'>,
  key: string,
  span: readonly IndexedFile[],
): AsyncGenerator<{ readonly file: IndexedFile; readonly bytes?: Buffer }> {
  const first = span[0];
  const last = span.at(-1);
  if (first === undefined || last === undefined) return;
  const end = last.offset + last.compressedSize;
  const range = { start: first.offset, end: end - 1 };
  const parts = end === first.offset ? Readable.from([]) : await objects.get(key, range);
  try {
    const reader = new SpanReader(parts, first.offset);
    for (const file of span) {
      yield { file };
      for await (const bytes of reader.read(file.offset, file.compressedSize)) yield { file, bytes };
    }
  } finally {
    parts.destroy();
  }
}

/** Reads ranges of one stream, in the order of their offsets. */
class SpanReader {
  private readonly parts: AsyncIterator<Buffer>;
  private part: Buffer = Buffer.alloc(0);

  constructor(
    parts: Readable,
    private position: number,
  ) {
    this.parts = parts[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async *read(offset: number, size: number): AsyncGenerator<Buffer> {
    while (this.position < offset) await this.take(offset - this.position);
    for (let left = size; left > 0;) {
      const bytes = await this.take(left);
      left -= bytes.length;
      yield bytes;
    }
  }

  /** Up to this many bytes, and at least one. */
  private async take(most: number): Promise<Buffer> {
    while (this.part.length === 0) {
      const next = await this.parts.next();
      if (next.done === true) throw new Error('The bundle ended before the files of its index.');
      this.part = next.value;
    }
    const bytes = this.part.subarray(0, most);
    this.part = this.part.subarray(bytes.length);
    this.position += bytes.length;
    return bytes;
  }
}

/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01: zips have no earlier day, and no client reads it. */
const DATE = 0x21;
const VERSION_NEEDED = 20;

function localHeader({ size, compressedSize, crc32: sum, deflated }: Entry, name: Buffer): Buffer {
  const header = Buffer.alloc(LOCAL_HEADER);
  header.writeUInt32LE(0x0403_4b50, 0);
  writeCommon(header, 4, { size, compressedSize, crc32: sum, deflated }, name);
  return Buffer.concat([header, name]);
}

function centralHeader(entry: Entry, name: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(CENTRAL_HEADER);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(VERSION_NEEDED, 4);
  writeCommon(header, 6, entry, name);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}

/** What both headers have, from their "version needed" on. */
function writeCommon(header: Buffer, at: number, entry: Omit<Entry, 'path'>, name: Buffer): void {
  header.writeUInt16LE(VERSION_NEEDED, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(entry.deflated ? 8 : 0, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt32LE(entry.crc32, at + 10);
  header.writeUInt32LE(entry.compressedSize, at + 14);
  header.writeUInt32LE(entry.size, at + 18);
  header.writeUInt16LE(name.length, at + 22);
}

function endOf(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(END);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
