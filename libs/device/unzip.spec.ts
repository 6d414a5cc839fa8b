import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { zipOf } from '../../test/support/zip';
import type { UpdateError } from './errors';
import { unzip } from './unzip';

/** Marks in the record of the central directory that a name has. */
const METHOD = 10;
const CRC = 16;
const PACKED_SIZE = 20;
const SIZE = 24;
const ATTRIBUTES = 38;

/** An archive with its first directory record changed: one byte or a 32-bit number at an offset of the record. */
function changed(archive: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(archive);
  copy.writeUInt32LE(value, copy.indexOf('PK\x01\x02', 'latin1') + offset);
  return copy;
}

/** Every occurrence of a name replaced by one of the same length. */
function renamed(archive: Buffer, from: string, to: string): Buffer {
  expect(Buffer.byteLength(to)).toBe(Buffer.byteLength(from));
  return Buffer.from(archive.toString('latin1').replaceAll(from, Buffer.from(to).toString('latin1')), 'latin1');
}

const rejection = (archive: Uint8Array, limits = {}) =>
  unzip(archive, limits).then(
    () => 'unpacked',
    (error: unknown) => {
      expect(error).toMatchObject({ name: 'UpdateError', code: 'invalid_zip' });
      return (error as UpdateError).message;
    },
  );

it('unpacks what an archiver packed, deflated and stored', () =>
  fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-zé]{1,8}(\/[a-z]{1,8})?\.txt$/), fc.uint8Array({ maxLength: 5_000 })),
      async (files) => {
        const contents = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]));
        const unpacked = await unzip(await zipOf(contents));
        expect(Object.fromEntries([...unpacked].map(([name, bytes]) => [name, Buffer.from(bytes)]))).toEqual(contents);
      },
    ),
    { numRuns: 50 },
  ));

describe('rejects', () => {
  let archive: Buffer;
  beforeAll(async () => {
    archive = await zipOf({ 'abcdefgh.txt': 'x'.repeat(10_000), 'other.txt': 'y' });
  });

  it.each([
    '../defgh.txt',
    '/bcdefgh.txt',
    'ab/../gh.txt',
    'ab\\defgh.txt',
    'a:cdefgh.txt',
    'ab//efgh.txt',
    'a/./efgh.txt',
    'abc\0efgh.txt',
  ])('the path %j', async (name) => {
    expect(await rejection(renamed(archive, 'abcdefgh.txt', name))).toContain('is unsafe');
  });

  it('a path that occurs twice', async () => {
    const twice = renamed(await zipOf({ 'a.txt': '1', 'b.txt': '2' }), 'b.txt', 'a.txt');
    expect(await rejection(twice)).toBe('The archive was rejected: the path "a.txt" occurs twice.');
  });

  it('a name that is not UTF-8', async () => {
    const raw = Buffer.from(archive.toString('latin1').replaceAll('abcdefgh', 'abcdefg\xff'), 'latin1');
    expect(await rejection(raw)).toContain('it is damaged');
  });

  it('a link, an encrypted file and an unknown method', async () => {
    expect(await rejection(changed(archive, ATTRIBUTES, 0o120777 * 0x10000))).toContain('is a link');
    expect(await rejection(changed(archive, 8, 1))).toContain('is encrypted');
    expect(await rejection(changed(archive, METHOD, 12))).toContain('compression method 12');
  });

  it('files that are more, or larger together, than the limits allow, before it unpacks them', async () => {
    expect(await rejection(archive, { maxFiles: 1 })).toContain('more than 1 files');
    expect(await rejection(archive, { maxBytes: 10_000 })).toContain('more than 10000 bytes');
    expect(await rejection(archive, { maxBytes: 10_001 })).toBe('unpacked');
    expect(await rejection(changed(archive, SIZE, 0xffff_fff0))).toContain('more than 536870912 bytes');
  });

  it('a file that is larger than its directory states, without unpacking all of it', async () => {
    const bomb = await zipOf({ 'bomb.txt': Buffer.alloc(50_000_000) });
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(await rejection(changed(bomb, SIZE, 10))).toContain('larger than its directory states');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  it('a damaged file', async () => {
    expect(await rejection(changed(archive, CRC, 1))).toContain('"abcdefgh.txt" is damaged');
    expect(await rejection(changed(archive, PACKED_SIZE, 5))).toContain("can't be unpacked");
    expect(await rejection(changed(archive, SIZE, 10_001))).toContain('is damaged');
  });

  it('what is no archive', async () => {
    expect(await rejection(new Uint8Array())).toContain('it has no directory');
    expect(await rejection(deflateRawSync('x'))).toContain('it has no directory');
    const zip64 = Buffer.from(archive);
    zip64.writeUInt16LE(0xffff, zip64.length - 12);
    expect(await rejection(zip64)).toContain('zip64');
  });

  it('or unpacks to the end, whatever bytes are changed or cut off', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(255), async (cut, place, byte) => {
        const copy = Buffer.from(archive);
        copy[place % copy.length] = byte;
        await rejection(cut % 3 === 0 ? copy.subarray(0, cut % copy.length) : copy);
      }),
      { numRuns: 500 },
    ));
});
