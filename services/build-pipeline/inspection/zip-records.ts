import type { FileHandle } from 'node:fs/promises';
import { BundleFault, quoted } from './bundle-fault';

/**
 * Reads the records of a zip archive, and accepts only archives that every reader sees the same way: readers that start
 * at the central directory, readers that walk the local records from the first byte, and readers that trust a data
 * descriptor. What common archivers write passes; the free space that the format allows between records does not.
 */

/** The most entries that an archive without the zip64 extension can hold. */
export const MAX_ENTRIES = 65_535;
export const MAX_COMMENT_BYTES = 1_024;
export const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;

export const FLAG_DESCRIPTOR = 0x0008;
export const FLAG_UTF8 = 0x0800;

const END = 0x06054b50;
const END_BYTES = 22;
const ZIP64_END = 0x06064b50;
const ZIP64_END_BYTES = 56;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const DESCRIPTOR = 0x08074b50;
const EXTRA_ZIP64 = 0x0001;
export const EXTRA_UNICODE_PATH = 0x7075;
export const EXTRA_ASI_UNIX = 0x756e;
const INTERPRETED = new Set([EXTRA_ZIP64, EXTRA_UNICODE_PATH, EXTRA_ASI_UNIX]);
const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffff_ffff;

export interface ExtraField {
  readonly id: number;
  readonly data: Buffer;
}

/** An entry as the central directory describes it; sizes and the offset are in bytes, zip64 resolved. */
export interface CentralRecord {
  readonly rawName: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly externalAttributes: number;
  /** Of the local record, from the first byte of the file. */
  readonly offset: number;
  /** Those that some readers take a name, a size or a file type from. */
  readonly extraFields: readonly ExtraField[];
}

export interface LocalRecord {
  readonly dataStart: number;
  readonly extraFields: readonly ExtraField[];
}

export interface CentralDirectory {
  readonly records: readonly CentralRecord[];
  /** Where the directory begins: the last local record must end here. */
  readonly start: number;
}

/** @throws BundleFault unless directory, zip64 records and end record follow each other up to the last byte */
export async function readCentralDirectory(file: FileHandle, fileSize: number): Promise<CentralDirectory> {
  const { count, start, length } = await readEnd(file, fileSize);
  const bytes = await readExactly(file, start, length);
  const records: CentralRecord[] = [];
  let at = 0;
  let place = 'its first entry';
  const damaged = (fault: string) => new BundleFault(`The bundle's central directory is damaged at ${place}: ${fault}`);
  for (let index = 0; index < count; index += 1) {
    if (at + CENTRAL_BYTES > length || bytes.readUInt32LE(at) !== CENTRAL) {
      throw damaged(`there is no record for entry ${index + 1} of ${count}.`);
    }
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const next = at + CENTRAL_BYTES + nameLength + extraLength + bytes.readUInt16LE(at + 32);
    if (next > length) throw damaged('its record is longer than the directory.');
    const rawName = bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
    place = `the entry ${quoted(rawName.toString('utf8'))}`;
    if (bytes.readUInt16LE(at + 34) !== 0) throw damaged('it lies on another disk.');
    const extra = bytes.subarray(at + CENTRAL_BYTES + nameLength, at + CENTRAL_BYTES + nameLength + extraLength);
    const extraFields = extraFieldsOf(extra);
    if (extraFields === undefined) throw damaged('its extra fields are malformed.');
    const sizes = centralSizes(bytes.subarray(at, at + CENTRAL_BYTES), extraFields);
    if (sizes === undefined) throw damaged('its zip64 field does not hold exactly the sizes that are left to it.');
    records.push({
      rawName,
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc32: bytes.readUInt32LE(at + 16),
      externalAttributes: bytes.readUInt32LE(at + 38),
      extraFields,
      ...sizes,
    });
    at = next;
    place = `the entry after ${quoted(rawName.toString('utf8'))}`;
  }
  if (at !== length) throw damaged(`it continues after the ${count} entries that the end record counts.`);
  return { records, start };
}

/**
 * Reads the local record that belongs to `central`.
 * @throws Error with the contradiction, unless name, flags, method, sizes and CRC-32 are those of the directory. Where
 *   a data descriptor follows the content, the local header may leave sizes and CRC-32 at 0.
 */
export async function readLocalRecord(file: FileHandle, central: CentralRecord): Promise<LocalRecord> {
  const { rawName, flags, method, offset } = central;
  const header = await readExactly(file, offset, LOCAL_BYTES);
  if (header.readUInt32LE(0) !== LOCAL) throw new Error('there is no local header where the directory says.');
  const nameLength = header.readUInt16LE(26);
  const extraLength = header.readUInt16LE(28);
  const rest = await readExactly(file, offset + LOCAL_BYTES, nameLength + extraLength);
  if (!rest.subarray(0, nameLength).equals(rawName)) throw new Error('its local header has another name.');
  const extraFields = extraFieldsOf(rest.subarray(nameLength));
  if (extraFields === undefined) throw new Error('the extra fields of its local header are malformed.');

  const open = (flags & FLAG_DESCRIPTOR) !== 0;
  const agrees = (found: number, expected: number) => found === expected || (open && found === 0);
  const zip64 = extraFields.find(({ id }) => id === EXTRA_ZIP64)?.data;
  const wide = [header.readUInt32LE(18), header.readUInt32LE(22)].map((size) => size === IN_ZIP64_32);
  const sizesAgree =
    zip64 === undefined
      ? agrees(header.readUInt32LE(18), central.compressedSize) && agrees(header.readUInt32LE(22), central.size)
      : zip64.length === 16 &&
        agrees(uint64(zip64, 0), central.size) &&
        agrees(uint64(zip64, 8), central.compressedSize) &&
        (wide[0] || agrees(header.readUInt32LE(18), central.compressedSize)) &&
        (wide[1] || agrees(header.readUInt32LE(22), central.size));
  if (
    header.readUInt16LE(6) !== flags ||
    header.readUInt16LE(8) !== method ||
    !agrees(header.readUInt32LE(14), central.crc32) ||
    !sizesAgree
  ) {
    throw new Error('its local header contradicts the central directory.');
  }
  return { dataStart: offset + LOCAL_BYTES + nameLength + extraLength, extraFields };
}

/**
 * Checks what lies between the content's end and `boundary`, where the next record begins: nothing, or the data
 * descriptor that the flags announce.
 * @throws Error
 */
export async function checkDescriptor(
  file: FileHandle,
  central: CentralRecord,
  dataEnd: number,
  boundary: number,
): Promise<void> {
  const length = boundary - dataEnd;
  if (length < 0) throw new Error('it overlaps what follows it.');
  if ((central.flags & FLAG_DESCRIPTOR) === 0) {
    if (length > 0) throw new Error(`${length} bytes that belong to no entry follow it.`);
    return;
  }
  if (![12, 16, 20, 24].includes(length)) {
    throw new Error(`${length} bytes follow it where a data descriptor of 12 to 24 bytes has to be.`);
  }
  const bytes = await readExactly(file, dataEnd, length);
  const signed = length % 8 === 0;
  const at = signed ? 4 : 0;
  const wide = length - at === 20;
  // java.util.zip.ZipInputStream expects 32-bit sizes here, and takes the end of such a descriptor for that of the archive.
  if (wide && central.size === 0)
    throw new Error('a 64-bit data descriptor follows its empty content, at which some unpackers stop.');
  const [compressedSize, size] = wide
    ? [uint64(bytes, at + 4), uint64(bytes, at + 12)]
    : [bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8)];
  if (
    (signed && bytes.readUInt32LE(0) !== DESCRIPTOR) ||
    bytes.readUInt32LE(at) !== central.crc32 ||
    compressedSize !== central.compressedSize ||
    size !== central.size
  ) {
    throw new Error('its data descriptor contradicts the central directory.');
  }
}

async function readEnd(file: FileHandle, fileSize: number): Promise<{ count: number; start: number; length: number }> {
  const tailStart = Math.max(0, fileSize - END_BYTES - 0xffff);
  const tail = await readExactly(file, tailStart, fileSize - tailStart);
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END);
  const found = tail.length < END_BYTES ? -1 : tail.lastIndexOf(signature, tail.length - END_BYTES);
  if (found === -1) throw new BundleFault('The bundle is damaged or no zip file: it has no end record.');
  const end = tail.subarray(found);
  const comment = end.length - END_BYTES;
  if (end.readUInt16LE(20) !== comment) {
    throw new BundleFault(
      `The bundle is damaged: ${comment} bytes follow its end record, which declares a comment of ${end.readUInt16LE(20)} bytes.`,
    );
  }
  if (comment > MAX_COMMENT_BYTES) {
    throw new BundleFault(`The bundle's comment has ${comment} bytes; at most ${MAX_COMMENT_BYTES} are allowed.`);
  }
  const endStart = tailStart + found;
  const plain = {
    count: end.readUInt16LE(10),
    length: end.readUInt32LE(12),
    start: end.readUInt32LE(16),
  };
  if (end.readUInt32LE(4) !== 0 || end.readUInt16LE(8) !== plain.count) {
    throw new BundleFault('The bundle is one part of an archive that was split; upload it in one piece.');
  }
  const zip64 = await readZip64End(file, endStart);
  const { count, length, start } = zip64 ?? plain;
  if (
    zip64 !== undefined &&
    ((plain.count !== IN_ZIP64_16 && plain.count !== count) ||
      (plain.length !== IN_ZIP64_32 && plain.length !== length) ||
      (plain.start !== IN_ZIP64_32 && plain.start !== start))
  ) {
    throw new BundleFault('The bundle is damaged: its end record contradicts its zip64 end record.');
  }
  if (count > MAX_ENTRIES) {
    throw new BundleFault(`The bundle has ${count} entries; at most ${MAX_ENTRIES} are allowed.`);
  }
  if (start + length !== (zip64?.at ?? endStart)) {
    throw new BundleFault(
      'The bundle is damaged: its central directory is not where its end record says. Nothing may precede its first entry, and nothing may lie between the directory and the end record.',
    );
  }
  if (length > MAX_DIRECTORY_BYTES) {
    throw new BundleFault(
      `The bundle's central directory has ${length} bytes; at most ${MAX_DIRECTORY_BYTES} are allowed.`,
    );
  }
  return { count, start, length };
}

async function readZip64End(
  file: FileHandle,
  endStart: number,
): Promise<{ at: number; count: number; start: number; length: number } | undefined> {
  const locatorStart = endStart - ZIP64_LOCATOR_BYTES;
  if (locatorStart < 0) return undefined;
  const locator = await readExactly(file, locatorStart, ZIP64_LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== ZIP64_LOCATOR) return undefined;
  const at = locatorStart - ZIP64_END_BYTES;
  const record = at < 0 ? Buffer.alloc(ZIP64_END_BYTES) : await readExactly(file, at, ZIP64_END_BYTES);
  const count = uint64(record, 32);
  if (
    locator.readUInt32LE(4) !== 0 ||
    uint64(locator, 8) !== at ||
    locator.readUInt32LE(16) > 1 ||
    record.readUInt32LE(0) !== ZIP64_END ||
    uint64(record, 4) !== ZIP64_END_BYTES - 12 ||
    uint64(record, 16) !== 0 ||
    uint64(record, 24) !== count
  ) {
    throw new BundleFault(
      'The bundle is damaged: its zip64 end record is malformed, or not directly before its locator.',
    );
  }
  return { at, count, length: uint64(record, 40), start: uint64(record, 48) };
}

/** Undefined unless a zip64 field holds exactly the values that the record itself leaves out. */
function centralSizes(
  record: Buffer,
  extraFields: readonly ExtraField[],
): { size: number; compressedSize: number; offset: number } | undefined {
  const zip64 = extraFields.find(({ id }) => id === EXTRA_ZIP64)?.data ?? Buffer.alloc(0);
  let used = 0;
  const resolve = (value: number): number => {
    if (value !== IN_ZIP64_32) return value;
    used += 8;
    return used <= zip64.length ? uint64(zip64, used - 8) : Number.NaN;
  };
  const size = resolve(record.readUInt32LE(24));
  const compressedSize = resolve(record.readUInt32LE(20));
  const offset = resolve(record.readUInt32LE(42));
  return used === zip64.length ? { size, compressedSize, offset } : undefined;
}

/**
 * The fields that this code interprets; undefined when any field is malformed. Up to three bytes of padding, which
 * aligners leave at the end, have to be zero.
 */
function extraFieldsOf(bytes: Buffer): ExtraField[] | undefined {
  const fields: ExtraField[] = [];
  const ids = new Set<number>();
  let at = 0;
  while (at + 4 <= bytes.length) {
    const id = bytes.readUInt16LE(at);
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) return undefined;
    // Readers differ in which of two fields they believe.
    if (id !== 0 && ids.has(id)) return undefined;
    ids.add(id);
    if (INTERPRETED.has(id)) fields.push({ id, data: bytes.subarray(at + 4, end) });
    at = end;
  }
  return bytes.subarray(at).every((byte) => byte === 0) ? fields : undefined;
}

/** Infinity beyond what a number holds exactly: no size or offset within a file equals it. */
function uint64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : Number.POSITIVE_INFINITY;
}

/** @throws Error when the file ends before */
async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) throw new Error('it runs past the end of the bundle.');
    read += bytesRead;
  }
  return bytes;
}
