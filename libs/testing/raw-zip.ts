import { crc32, deflateRawSync } from 'node:zlib';

/** What a header says of an entry; each member may contradict the content. */
export interface Header {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly extra: Buffer;
}

/** An entry, and the false values of its records. Members that are left out are true. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  readonly method?: 0 | 8 | 93;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly unixMode?: number;
  readonly externalAttributes?: number;
  /** The upper byte is the host's number. */
  readonly madeBy?: number;
  readonly extra?: Buffer;
  readonly comment?: string;
  /** In the central directory alone. */
  readonly central?: Partial<Header>;
  /** In the local header alone. */
  readonly local?: Partial<Header>;
  /** Bytes of the content as it is packed, when it is no honest packing. */
  readonly packed?: Buffer;
  /** Bytes between the content and the next record. */
  readonly after?: Buffer;
  /** Not in the central directory. */
  readonly hidden?: boolean;
  /** Not among the local records. */
  readonly missing?: boolean;
}

export interface RawArchive {
  /** Before the first record, counted by the offsets. */
  readonly prepended?: Buffer;
  /** Between the local records and the central directory. */
  readonly beforeDirectory?: Buffer;
  /** Between the central directory and the end record. */
  readonly afterDirectory?: Buffer;
  readonly comment?: Buffer;
  readonly zip64?: boolean;
  readonly count?: number;
  /** Local records in another order than the directory's. */
  readonly localOrder?: (entries: readonly RawEntry[]) => readonly RawEntry[];
}

export const SYMLINK = 0o120777;
export const FLAG_DESCRIPTOR = 0x08;
export const FLAG_UTF8 = 0x800;

export function extraField(id: number, data: Buffer | string): Buffer {
  return Buffer.concat([uint16(id), uint16(Buffer.byteLength(data)), Buffer.from(data)]);
}

/** Info-ZIP's field for a UTF-8 name, sealed to `rawName`. */
export function unicodePath(rawName: string, name: string): Buffer {
  return extraField(0x7075, Buffer.concat([Buffer.of(1), uint32(crc32(rawName)), Buffer.from(name)]));
}

export function zip64Field(...values: number[]): Buffer {
  return extraField(1, Buffer.concat(values.map(uint64)));
}

export function descriptor(
  { crc, compressedSize, size }: Pick<Header, 'crc' | 'compressedSize' | 'size'>,
  { signed = true, wide = false } = {},
): Buffer {
  const number = wide ? uint64 : uint32;
  return Buffer.concat([
    uint32(signed ? 0x08074b50 : crc),
    ...(signed ? [uint32(crc)] : []),
    number(compressedSize),
    number(size),
  ]);
}

/** The entry as its writer streams it: sizes and CRC-32 follow the content. */
export function streamed(entry: RawEntry, form: { signed?: boolean; wide?: boolean } = {}): RawEntry {
  const truth = headerOf(entry);
  return {
    ...entry,
    flags: truth.flags | FLAG_DESCRIPTOR,
    local: { crc: 0, compressedSize: 0, size: 0, ...entry.local },
    after: Buffer.concat([descriptor(truth, form), entry.after ?? Buffer.alloc(0)]),
  };
}

/** A zip written byte by byte, so that it may lie. */
export function rawZip(entries: readonly RawEntry[], archive: RawArchive = {}): Buffer {
  const offsets = new Map<RawEntry, number>();
  const locals: Buffer[] = [archive.prepended ?? Buffer.alloc(0)];
  let offset = locals[0]!.length;
  for (const entry of (archive.localOrder?.(entries) ?? entries).filter(({ missing }) => !missing)) {
    offsets.set(entry, offset);
    const record = localRecord(entry);
    locals.push(record);
    offset += record.length;
  }
  locals.push(archive.beforeDirectory ?? Buffer.alloc(0));
  offset += locals.at(-1)!.length;
  const named = entries.filter(({ hidden }) => !hidden);
  const directory = Buffer.concat(named.map((entry) => centralRecord(entry, offsets.get(entry) ?? 0)));
  const count = archive.count ?? named.length;
  const end = Buffer.concat([
    uint32(0x06054b50),
    uint32(0),
    ...(archive.zip64
      ? [uint16(0xffff), uint16(0xffff), uint32(0xffff_ffff), uint32(0xffff_ffff)]
      : [uint16(count), uint16(count), uint32(directory.length), uint32(offset)]),
    uint16(archive.comment?.length ?? 0),
    archive.comment ?? Buffer.alloc(0),
  ]);
  const before = Buffer.concat([...locals, directory, archive.afterDirectory ?? Buffer.alloc(0)]);
  const zip64End = archive.zip64
    ? Buffer.concat([
        ...[uint32(0x06064b50), uint64(44), uint16(45), uint16(45), uint32(0), uint32(0)],
        ...[uint64(count), uint64(count), uint64(directory.length), uint64(offset)],
        ...[uint32(0x07064b50), uint32(0), uint64(before.length), uint32(1)],
      ])
    : Buffer.alloc(0);
  return Buffer.concat([before, zip64End, end]);
}

/** Its local header, its packed content and what follows it. */
export function localRecord(entry: RawEntry): Buffer {
  const header = { ...headerOf(entry), ...entry.local };
  return Buffer.concat([
    uint32(0x04034b50),
    uint16(20),
    common(header),
    header.name,
    header.extra,
    packedOf(entry),
    entry.after ?? Buffer.alloc(0),
  ]);
}

export function centralRecord(entry: RawEntry, offset: number): Buffer {
  const header = { ...headerOf(entry), ...entry.central };
  const comment = Buffer.from(entry.comment ?? '');
  return Buffer.concat([
    uint32(0x02014b50),
    uint16(entry.madeBy ?? 0x0314),
    uint16(20),
    common(header),
    uint16(comment.length),
    uint32(0),
    uint32(entry.externalAttributes ?? ((entry.unixMode ?? 0o100644) << 16) >>> 0),
    uint32(offset),
    header.name,
    header.extra,
    comment,
  ]);
}

export function headerOf(entry: RawEntry): Header {
  const content = Buffer.from(entry.content ?? '');
  return {
    name: Buffer.from(entry.name),
    flags: entry.flags ?? FLAG_UTF8,
    method: entry.method ?? 0,
    crc: entry.crc ?? crc32(content),
    compressedSize: packedOf(entry).length,
    size: entry.size ?? content.length,
    extra: entry.extra ?? Buffer.alloc(0),
  };
}

function packedOf({ packed, method, content }: RawEntry): Buffer {
  const bytes = Buffer.from(content ?? '');
  return packed ?? (method === 8 ? deflateRawSync(bytes) : bytes);
}

/** What both headers hold in the same order, from the flags to the length of the extra fields. */
function common({ flags, method, crc, compressedSize, size, name, extra }: Header): Buffer {
  return Buffer.concat([
    ...[uint16(flags), uint16(method), uint32(0x21 << 16), uint32(crc), uint32(compressedSize), uint32(size)],
    ...[uint16(name.length), uint16(extra.length)],
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
