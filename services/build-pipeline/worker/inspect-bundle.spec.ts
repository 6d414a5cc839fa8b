import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { ZipFile } from 'yazl';
import { inspectBundle, MAX_ENTRIES } from './inspect-bundle';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-inspect-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Resolves for a sound bundle, rejects with its fault. */
async function inspect(zip: Buffer, wish: { size?: number; checksum?: string; maxExpandedBytes?: number } = {}) {
  const path = join(folder, 'bundle.zip');
  await writeFile(path, zip);
  return inspectBundle(path, {
    size: zip.length,
    checksum: createHash('sha256').update(zip).digest('hex'),
    maxExpandedBytes: 1_000_000,
    ...wish,
  });
}

/** An entry with whatever its writer claims about it. */
interface RawEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly unixMode?: number;
  readonly localName?: string;
}

const SYMLINK = 0o120777;

/** A zip written byte by byte, so that it may lie. */
function zipOf(...entries: RawEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const method = entry.method ?? 0;
    const stored = method === 8 ? deflateRawSync(content) : content;
    const common = Buffer.alloc(22);
    common.writeUInt16LE(entry.flags ?? 0x800, 0);
    common.writeUInt16LE(method, 2);
    common.writeUInt32LE(entry.crc ?? crc32(content), 8);
    common.writeUInt32LE(stored.length, 12);
    common.writeUInt32LE(entry.size ?? content.length, 16);
    const name = Buffer.from(entry.name);
    const localName = Buffer.from(entry.localName ?? entry.name);
    common.writeUInt16LE(localName.length, 20);
    const local = Buffer.concat([Buffer.from('504b03041400', 'hex'), common, Buffer.alloc(2), localName, stored]);
    common.writeUInt16LE(name.length, 20);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(((entry.unixMode ?? 0o100644) << 16) >>> 0, 8);
    tail.writeUInt32LE(offset, 12);
    centrals.push(Buffer.concat([Buffer.from('504b010214031400', 'hex'), common, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

async function yazl(fill: (zip: ZipFile) => void): Promise<Buffer> {
  const zip = new ZipFile();
  fill(zip);
  zip.end();
  return buffer(zip.outputStream as Readable);
}

const sound: RawEntry = { name: 'index.html', content: '<h1>Hello</h1>' };

describe('a sound bundle', () => {
  it('passes as a common zip writer makes it', async () => {
    const zip = await yazl((each) => {
      each.addEmptyDirectory('assets/');
      each.addBuffer(Buffer.from('<h1>Hello</h1>'), 'index.html');
      each.addBuffer(Buffer.alloc(300_000, 'x'), 'assets/äpp.js');
      each.addBuffer(Buffer.alloc(0), 'assets/empty.txt', { compress: false });
    });
    await expect(inspect(zip)).resolves.toBeUndefined();
  });

  it('passes with zip64 records', async () => {
    const zip = await yazl((each) => each.addBuffer(Buffer.from('a'), 'a.txt', { forceZip64Format: true }));
    await expect(inspect(zip)).resolves.toBeUndefined();
  });

  it.each(['b.txt', './b.txt', '../b.txt', '../../index.html', '..'])(
    'may hold a symbolic link to %s from within',
    (target) =>
      expect(inspect(zipOf(sound, { name: 'a/b/link', content: target, unixMode: SYMLINK }))).resolves.toBeUndefined(),
  );

  it('may expand to exactly the limit', () =>
    expect(inspect(zipOf({ name: 'a', content: Buffer.alloc(1_000_000), method: 8 }))).resolves.toBeUndefined());

  it('may hold names that only resemble unsafe ones', () =>
    expect(inspect(zipOf({ name: 'a..b/..c/...', content: 'x' }))).resolves.toBeUndefined());
});

describe('what is no whole zip', () => {
  it('refuses a text file', () => expect(inspect(Buffer.from('Hello'))).rejects.toThrow('damaged or no zip file'));

  it('refuses a zip that ends anywhere before its end', async () => {
    const zip = zipOf(sound, { name: 'b.txt', content: 'b' });
    for (let length = 0; length < zip.length; length += 7) {
      await expect(inspect(zip.subarray(0, length))).rejects.toThrow(/bundle/);
    }
  });

  it('refuses a zip with a byte changed in any content', async () => {
    const zip = zipOf({ name: 'a', content: 'hello', method: 8 }, { name: 'b', content: 'world' });
    const [first, second] = [31, 31 + deflateRawSync(Buffer.from('hello')).length + 31];
    for (const [at, name] of [
      [first, 'a'],
      [second, 'b'],
    ] as const) {
      const damaged = Buffer.from(zip);
      damaged[at] = damaged[at]! ^ 0xff;
      await expect(inspect(damaged)).rejects.toThrow(`The entry "${name}" is damaged`);
    }
  });

  it('refuses an empty zip and one of folders alone', async () => {
    await expect(inspect(zipOf())).rejects.toThrow('holds no file');
    await expect(inspect(zipOf({ name: 'a/', unixMode: 0o040755 }))).rejects.toThrow('holds no file');
  });

  it('never ends in anything but a fault, whatever the bytes', async () => {
    const zip = zipOf(sound, { name: 'dir/a.js', content: 'let a = 1;'.repeat(20), method: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(zip.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const damaged = Buffer.from(zip);
          for (const [at, byte] of changes) damaged[at] = byte;
          await inspect(damaged).catch((error: unknown) => expect(error).toMatchObject({ name: 'BundleFault' }));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('what is not the upload', () => {
  it('refuses another size', () => expect(inspect(zipOf(sound), { size: 3 })).rejects.toThrow('the upload had 3'));
  it('refuses another checksum', () =>
    expect(inspect(zipOf(sound), { checksum: '0'.repeat(64) })).rejects.toThrow('SHA-256'));
});

describe('an unsafe entry is refused by name', () => {
  it.each<[string, RawEntry | RawEntry[], string]>([
    ['a path out of the folder', { name: '../x' }, '"../x" leaves the folder'],
    ['a path out of the folder, further in', { name: 'a/../../x' }, 'leaves the folder'],
    ['an absolute path', { name: '/etc/x' }, '"/etc/x" has an absolute path'],
    ['a drive', { name: 'C:/x' }, 'absolute path'],
    ['a backslash', { name: 'a\\..\\x' }, 'backslash'],
    ['a zero byte', { name: 'a\0.js' }, '"a\\u0000.js" has a zero byte'],
    ['no name', { name: '' }, '"" has an empty name'],
    ['a name that is no file', { name: './', unixMode: SYMLINK, content: 'a' }, 'without a file'],
    [
      'an absolute link',
      { name: 'l', content: '/etc/passwd', unixMode: SYMLINK },
      '"l" is a symbolic link that may lead out',
    ],
    ['a link out of the tree', { name: 'a/l', content: '../../x', unixMode: SYMLINK }, 'may lead out'],
    ['a link that climbs behind a name', { name: 'a/l', content: 'b/../../x', unixMode: SYMLINK }, 'may lead out'],
    ['a link to nothing', { name: 'l', content: '', unixMode: SYMLINK }, 'may lead out'],
    [
      'a path through a link',
      [
        { name: 'a', content: 'b', unixMode: SYMLINK },
        { name: 'a/x', content: 'x' },
      ],
      '"a/x" lies in a folder where',
    ],
    [
      'a link over a folder',
      [
        { name: 'a/x', content: 'x' },
        { name: 'a', content: 'b', unixMode: SYMLINK },
      ],
      '"a" is a file or link where',
    ],
    ['a device', { name: 'tty', unixMode: 0o020666 }, 'neither a file'],
    ['an encrypted entry', { name: 'x', content: 'x', flags: 0x801, size: 1 }, '"x" is encrypted'],
    ['an unknown compression', { name: 'x', content: 'x', method: 93 }, 'method 93'],
    ['a wrong CRC-32', { name: 'x', content: 'x', crc: 1 }, '"x" is damaged: its CRC-32 is'],
    ['a wrong size', { name: 'x', content: 'hello', method: 8, size: 4 }, '"x" is damaged'],
    ['the same name twice', [{ name: 'x' }, { name: 'x' }], 'the name of an earlier entry'],
    [
      'a name that differs by case',
      [{ name: 'a/App.js' }, { name: 'A/app.js' }],
      '"A/app.js" has the name of an earlier entry',
    ],
    ['a name that differs by composition', [{ name: 'ä' }, { name: 'a\u0308' }], 'the name of an earlier entry'],
    ['two names', { name: 'x.js', localName: 'y.js' }, 'its local header has another name'],
    ['a folder with content', { name: 'a/', content: 'x' }, 'is a directory with content'],
  ])('%s', async (_, entries, message) => {
    await expect(inspect(zipOf(sound, ...[entries].flat()))).rejects.toThrow(message);
  });
});

describe('a bomb', () => {
  it('is refused before it is unpacked when it tells its size', () =>
    expect(
      inspect(
        zipOf(
          { name: 'a', content: Buffer.alloc(600_000), method: 8 },
          { name: 'b', content: Buffer.alloc(600_000), method: 8 },
        ),
      ),
    ).rejects.toThrow('"b" brings the unpacked bundle to 1200000 bytes'));

  it('is refused as soon as it has more bytes than it told', () =>
    expect(inspect(zipOf({ name: 'a', content: Buffer.alloc(5_000_000), method: 8, size: 100 }))).rejects.toThrow(
      '"a" is damaged',
    ));

  it('is refused for its number of entries', async () => {
    const zip = zipOf(sound);
    const end = zip.subarray(-22);
    end.writeUInt16LE(0xffff, 10);
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(BigInt(MAX_ENTRIES + 1), 32);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(zip.length - end.length), 8);
    const zip64 = Buffer.concat([zip.subarray(0, -22), record, locator, end]);
    await expect(inspect(zip64)).rejects.toThrow('65536 entries');
  });
});
