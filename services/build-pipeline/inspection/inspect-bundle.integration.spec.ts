import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { ZipFile } from 'yazl';
import {
  descriptor,
  extraField,
  FLAG_UTF8,
  headerOf,
  localRecord,
  rawZip,
  streamed,
  SYMLINK,
  unicodePath,
  zip64Field,
  type RawArchive,
  type RawEntry,
} from '@sluice/testing/raw-zip';
import { inspectBundle } from './inspect-bundle';
import { MAX_COMMENT_BYTES, MAX_ENTRIES } from './zip-records';

let folder: string;
beforeAll(() => {
  folder = temporaryDirectory();
});

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

const zipOf = (...entries: RawEntry[]) => rawZip(entries);

async function yazl(fill: (zip: ZipFile) => void): Promise<Buffer> {
  const zip = new ZipFile();
  fill(zip);
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** A CRC-32, then the mode. */
function asiUnix(mode: number): Buffer {
  const data = Buffer.alloc(14);
  data.writeUInt16LE(mode, 4);
  return data;
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
    await expect(inspect(zip)).resolves.toBeDefined();
  });

  it('passes with zip64 records', async () => {
    const zip = await yazl((each) => each.addBuffer(Buffer.from('a'), 'a.txt', { forceZip64Format: true }));
    await expect(inspect(zip)).resolves.toBeDefined();
  });

  it.each(['b.txt', './b.txt', '../b.txt', '../../index.html', '..'])(
    'may hold a symbolic link to %s from within',
    (target) =>
      expect(inspect(zipOf(sound, { name: 'a/b/link', content: target, unixMode: SYMLINK }))).resolves.toBeDefined(),
  );

  it('may expand to exactly the limit', () =>
    expect(inspect(zipOf({ name: 'a', content: Buffer.alloc(1_000_000), method: 8 }))).resolves.toBeDefined());

  it('may hold names that only resemble unsafe ones', () =>
    expect(
      inspect(
        zipOf(
          { name: 'a..b/..c/.d', content: 'x' },
          { name: 'console.js', content: 'x' },
          { name: 'a.con/com10/nul-1.js', content: 'x' },
          { name: 'a b/ c', content: 'x' },
        ),
      ),
    ).resolves.toBeDefined());
});

describe('the index of the files', () => {
  const hash = (algorithm: string, content: Buffer) => createHash(algorithm).update(content).digest('hex');

  it('has the hashes of each file, and where its content is in the zip', async () => {
    const contents: Record<string, Buffer> = {
      'z.txt': Buffer.from('last'),
      'assets/large.js': Buffer.alloc(300_000, 'let a = 1;'),
      'assets/empty.txt': Buffer.alloc(0),
      'assets/\u{1f600}.txt': Buffer.from('above U+FFFF in UTF-16: before U+FF61'),
      'assets/\uff61.txt': Buffer.from('halfwidth'),
    };
    const zip = await yazl((each) => {
      each.addEmptyDirectory('empty/');
      for (const [name, content] of Object.entries(contents)) {
        each.addBuffer(content, name, { compress: name !== 'z.txt' });
      }
    });
    const { index } = await inspect(zip);
    expect(index.files.map(({ path }) => path)).toEqual(Object.keys(contents).sort());
    for (const file of index.files) {
      const content = contents[file.path]!;
      const packed = zip.subarray(file.offset, file.offset + file.compressedSize);
      expect((file.deflated ? inflateRawSync(packed) : packed).equals(content)).toBe(true);
      expect(file).toEqual({
        ...{ path: file.path, size: content.length, sha256: hash('sha256', content), md5: hash('md5', content) },
        ...{
          crc32: crc32(content),
          offset: file.offset,
          compressedSize: packed.length,
          deflated: file.path !== 'z.txt',
        },
      });
    }
  });

  it('leaves links and folders out, and has offsets behind data descriptors and zip64 records', async () => {
    const second: RawEntry = streamed({ name: 'b.txt', content: 'second', method: 8 });
    const zip = rawZip([second, { name: 'a/' }, { name: 'a/link', content: '../b.txt', unixMode: SYMLINK }, sound]);
    const { index } = await inspect(zip);
    expect(index.files.map(({ path }) => path)).toEqual(['b.txt', 'index.html']);
    const { offset, compressedSize } = index.files[1]!;
    expect(zip.subarray(offset, offset + compressedSize).toString()).toBe('<h1>Hello</h1>');
  });
});

describe('what is no whole zip', () => {
  it('rejects a text file', () => expect(inspect(Buffer.from('Hello'))).rejects.toThrow('damaged or no zip file'));

  it('rejects a zip that ends anywhere before its end', async () => {
    const zip = zipOf(sound, { name: 'b.txt', content: 'b' });
    for (let length = 0; length < zip.length; length += 7) {
      await expect(inspect(zip.subarray(0, length))).rejects.toThrow(/bundle/);
    }
  });

  it('rejects a zip with a byte changed in any content', async () => {
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

  it('rejects an empty zip and one of folders alone', async () => {
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
  it('rejects another size', () => expect(inspect(zipOf(sound), { size: 3 })).rejects.toThrow('the upload had 3'));
  it('rejects another checksum', () =>
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
    ['a link that is named like a folder', { name: 'l/', unixMode: SYMLINK, content: 'a' }, '"l/" has an empty or "."'],
    ['an empty segment', { name: 'a//x.js' }, '"a//x.js" has an empty or "." segment'],
    ['a "." segment', { name: 'a/./x.js' }, '"a/./x.js" has an empty or "." segment'],
    ['a path that begins with "."', { name: './x.js' }, 'has an empty or "." segment'],
    ['a folder of empty segments', { name: 'a//', unixMode: 0o040755 }, 'has an empty or "." segment'],
    [
      'a link whose depth is made of "." segments',
      { name: 'a/./././link', content: '../../../../etc', unixMode: SYMLINK },
      '"a/./././link" has an empty or "." segment',
    ],
    ['a name that ends in a dot', { name: 'index.html.' }, '"index.html." has a name in its path that ends in a dot'],
    ['a folder that ends in a dot', { name: 'a./x.js' }, 'ends in a dot or a space'],
    ['a segment of dots', { name: 'a/.../x.js' }, 'ends in a dot or a space'],
    ['a name that ends in a space', { name: 'index.html ' }, 'ends in a dot or a space'],
    ['an empty folder that ends in a space', { name: 'a /', unixMode: 0o040755 }, 'ends in a dot or a space'],
    ['a device of Windows', { name: 'NUL' }, '"NUL" has a name in its path that is a device on Windows'],
    ['a device of Windows with an extension', { name: 'a/Con.tar.gz' }, 'is a device on Windows'],
    ['a device of Windows before a space', { name: 'aux .js' }, 'is a device on Windows'],
    ['a folder that is a device of Windows', { name: 'lpt1/x.js' }, 'is a device on Windows'],
    ['a device of Windows with a digit beyond ASCII', { name: 'COM².js' }, 'is a device on Windows'],
    ['a stream of another file', { name: 'index.html::$DATA' }, '"index.html::$DATA" has a colon in its name'],
    ['a control character', { name: 'a\u0007.js' }, '"a\\u0007.js" has a control character'],
    ['a version after the name', { name: 'a.js;1' }, 'ends in ";" and digits'],
    ['a name too long', { name: `${'a'.repeat(256)}.js` }, 'has a name of more than 255 bytes'],
    ['a path too long', { name: Array(300).fill('abc').join('/') }, 'has a path of more than 1024 bytes'],
    ['a name that is no UTF-8', { name: Buffer.from([0x61, 0xff]) }, 'is not valid UTF-8'],
    ['an overlong name', { name: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x78]) }, 'is not valid UTF-8'],
    ['a name that is not marked as UTF-8', { name: 'ä.js', flags: 0 }, '"ä.js" has characters outside ASCII'],
    [
      'a raw name that its Unicode path hides',
      { name: '../../../data/evil.js', extra: unicodePath('../../../data/evil.js', 'safe.js') },
      '"../../../data/evil.js" has a second, different name',
    ],
    [
      'a Unicode path that leaves the folder',
      { name: 'safe.js', extra: unicodePath('safe.js', '../evil.js') },
      '"safe.js" has a second, different name',
    ],
    [
      'a Unicode path in the local header alone',
      { name: 'safe.js', local: { extra: unicodePath('safe.js', '../evil.js') } },
      '"safe.js" has a second, different name',
    ],
    [
      'a Unicode path that is sealed to another name',
      { name: 'safe.js', extra: unicodePath('other.js', 'evil.js') },
      'has a second, different name',
    ],
    ['a folder without a slash', { name: 'a', unixMode: 0o040755 }, 'is a directory whose name does not end'],
    ['a folder of DOS without a slash', { name: 'a', externalAttributes: 0x10 }, 'both as a directory and as a file'],
    ['the label of a disk', { name: 'a', externalAttributes: 0x08 }, 'the label of a disk'],
    [
      'a link by an extra field',
      { name: 'l', content: '/etc/passwd', extra: extraField(0x756e, asiUnix(SYMLINK)) },
      '"l" has another file type in a Unix extra field',
    ],
    [
      'a link by an extra field of the local header',
      { name: 'l', content: '/etc/passwd', local: { extra: extraField(0x756e, asiUnix(SYMLINK)) } },
      '"l" has another file type in a Unix extra field',
    ],
    ['unknown flags', { name: 'x', flags: 0x2800 }, 'has the flags 0x2000'],
    ['a stored entry of two sizes', { name: 'x', content: 'hello', size: 4 }, 'it is stored in 5 bytes, but has 4'],
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
    ['a name that differs by the case of ß', [{ name: 'straße' }, { name: 'STRASSE' }], 'the name of an earlier entry'],
    ['a name that differs by a capital ß', [{ name: 'ß' }, { name: 'ẞ' }], 'the name of an earlier entry'],
    ['a name that differs by a long s', [{ name: 's.js' }, { name: 'ſ.js' }], 'the name of an earlier entry'],
    ['a name that differs by a final sigma', [{ name: 'ς' }, { name: 'Σ' }], 'the name of an earlier entry'],
    ['a name that differs by the sign for kelvin', [{ name: 'k' }, { name: '\u212a' }], 'the name of an earlier entry'],
    [
      'a folder that differs by case beyond ASCII',
      [{ name: 'ΣΑΣ', content: 'x' }, { name: 'σας/x.js' }],
      '"σας/x.js" lies in a folder where an earlier entry is a file',
    ],
    ['a name that differs by composition', [{ name: 'ä' }, { name: 'a\u0308' }], 'the name of an earlier entry'],
    ['two names', { name: 'x.js', local: { name: Buffer.from('y.js') } }, 'its local header has another name'],
    ['a folder with content', { name: 'a/', content: 'x' }, 'is a directory with content'],
  ])('%s', async (_, entries, message) => {
    await expect(inspect(zipOf(sound, ...[entries].flat()))).rejects.toThrow(message);
  });
});

describe('records that not every reader would find', () => {
  const evil: RawEntry = { name: '../../../data/evil.js', content: 'evil()' };
  const page: RawEntry = { name: 'index.html', content: '<h1>Another</h1>' };
  const last: RawEntry = { name: 'z.js', content: 'z', method: 8 };
  const hiddenLocal = localRecord({ ...page, hidden: true });

  it.each<[string, RawEntry[], RawArchive, string]>([
    [
      'a record before all others',
      [{ ...evil, hidden: true }, sound],
      {},
      '"index.html" is not at the start of the bundle',
    ],
    [
      'a record between two others',
      [sound, { ...evil, hidden: true }, last],
      {},
      '"index.html" is damaged: 57 bytes that belong to no entry follow it',
    ],
    [
      'another file of the same name, behind the last record',
      [sound, last, { ...page, hidden: true }],
      {},
      '"z.js" is damaged: 56 bytes that belong to no entry follow it',
    ],
    [
      'a record behind a data descriptor',
      [{ ...streamed(last), after: Buffer.concat([descriptor(headerOf(last)), hiddenLocal]) }, sound],
      {},
      '"z.js" is damaged: 72 bytes follow it where a data descriptor',
    ],
    [
      'a record in what is left of compressed content',
      [sound, streamed({ ...last, packed: Buffer.concat([deflateRawSync(Buffer.from('z')), hiddenLocal]) })],
      {},
      '"z.js" is damaged: 56 bytes that belong to no entry follow its compressed content',
    ],
    [
      'a record in stored content whose size comes behind it',
      [sound, streamed({ name: 'z.js', content: `z${descriptor(headerOf(last)).toString('latin1')}`, method: 0 })],
      {},
      '"z.js" is damaged: it is stored with a data descriptor, and its content holds what ends an entry',
    ],
    ['bytes before the first record', [sound], { prepended: Buffer.from('#!/bin/sh\n') }, 'is not at the start'],
    ['bytes before the directory', [sound], { beforeDirectory: Buffer.from('x') }, '1 bytes that belong to no entry'],
    ['bytes behind the directory', [sound], { afterDirectory: Buffer.from('x') }, 'is not where its end record says'],
    ['an entry that the end record does not count', [sound, last], { count: 1 }, 'is not where|continues after the 1'],
    ['an entry too few', [sound], { count: 2 }, 'there is no record for entry 2 of 2'],
    ['two entries of one record', [sound, { ...last, missing: true }], {}, 'overlaps what follows|another name'],
    [
      'a directory within the directory',
      [{ ...sound, comment: rawZip([evil]).toString('latin1') }],
      { count: 2 },
      'there is no record for entry 2',
    ],
    ['a comment too long', [sound], { comment: Buffer.alloc(MAX_COMMENT_BYTES + 1, 'x') }, 'comment has 1025 bytes'],
    ['a whole archive in the comment', [sound], { comment: rawZip([evil]) }, 'is not where its end record says'],
  ])('rejects %s', async (_, entries, archive, message) => {
    await expect(inspect(rawZip(entries, archive))).rejects.toThrow(new RegExp(message.replace(/[(.]/g, '\\$&')));
  });

  it('rejects bytes behind the end record, also an archive', async () => {
    const zip = rawZip([sound]);
    await expect(inspect(Buffer.concat([zip, Buffer.from('x')]))).rejects.toThrow('1 bytes follow its end record');
    await expect(inspect(Buffer.concat([zip, rawZip([evil])]))).rejects.toThrow('is not where its end record says');
  });

  it.each<[string, RawEntry]>([
    ['another CRC-32', { ...last, local: { crc: 1 } }],
    ['another size', { ...last, local: { size: 2 } }],
    ['another packed size', { ...last, local: { compressedSize: 4 } }],
    ['another method', { ...last, local: { method: 0 } }],
    ['other flags', { ...last, local: { flags: FLAG_UTF8 | 2 } }],
    ['sizes of 0 without a data descriptor', { ...last, local: { crc: 0, size: 0, compressedSize: 0 } }],
    ['another size in its zip64 field', { ...last, local: { extra: zip64Field(2, 3) } }],
    ['a zip64 field too short', { ...last, local: { extra: zip64Field(1) } }],
    ['another size before its data descriptor', streamed({ ...last, local: { size: 2 } })],
  ])('rejects a local header with %s', async (_, entry) => {
    await expect(inspect(rawZip([sound, entry]))).rejects.toThrow(
      '"z.js" is damaged: its local header contradicts the central directory',
    );
  });

  it.each<[string, Partial<Parameters<typeof descriptor>[0]>]>([
    ['CRC-32', { crc: 1 }],
    ['size', { size: 2 }],
    ['packed size', { compressedSize: 2 }],
  ])('rejects a data descriptor with another %s', async (_, lie) => {
    const entry = { ...streamed(last), after: descriptor({ ...headerOf(last), ...lie }) };
    await expect(inspect(rawZip([sound, entry]))).rejects.toThrow('"z.js" is damaged: its data descriptor contradicts');
  });

  it('rejects a 64-bit data descriptor of empty content, at which readers of 32-bit ones stop', async () => {
    const empty = streamed({ name: 'a.txt', method: 8 }, { wide: true, signed: false });
    await expect(inspect(rawZip([empty, sound]))).rejects.toThrow(
      '"a.txt" is damaged: a 64-bit data descriptor follows',
    );
  });

  it('rejects an announced data descriptor that is missing, and one that is not announced', async () => {
    await expect(inspect(rawZip([sound, { ...streamed(last), after: Buffer.alloc(0) }]))).rejects.toThrow(
      '"z.js" is damaged: 0 bytes follow it where a data descriptor',
    );
    await expect(inspect(rawZip([sound, { ...last, after: descriptor(headerOf(last)) }]))).rejects.toThrow(
      '"z.js" is damaged: 16 bytes that belong to no entry',
    );
  });

  it.each<[string, Buffer]>([
    ['that is cut off', Buffer.from([1, 2, 3, 4, 5])],
    ['twice of one kind', Buffer.concat([unicodePath('z.js', 'z.js'), unicodePath('z.js', 'y.js')])],
    ['with padding that is not zero', Buffer.from([1, 2, 3])],
  ])('rejects an extra field %s', async (_, extra) => {
    await expect(inspect(rawZip([sound, { ...last, central: { extra } }]))).rejects.toThrow(
      'damaged at the entry "z.js": its extra fields are malformed',
    );
    await expect(inspect(rawZip([sound, { ...last, local: { extra } }]))).rejects.toThrow(
      '"z.js" is damaged: the extra fields of its local header are malformed',
    );
  });

  it('rejects a zip64 field of the directory with more or fewer values than its record leaves out', async () => {
    for (const central of [
      { extra: zip64Field(1) },
      { size: 0xffff_ffff },
      { size: 0xffff_ffff, extra: zip64Field(1, 3) },
    ]) {
      await expect(inspect(rawZip([sound, { ...last, central }]))).rejects.toThrow('its zip64 field');
    }
  });

  it.each<[string, RawEntry[], RawArchive]>([
    [
      'data descriptors of each form',
      [
        streamed({ ...last, name: 'a' }),
        streamed({ ...last, name: 'b' }, { signed: false }),
        streamed({ ...last, name: 'c' }, { wide: true }),
        streamed({ ...last, name: 'd' }, { wide: true, signed: false }),
        streamed({ ...sound, name: 'e' }),
      ],
      {},
    ],
    [
      'zip64 fields and end records',
      [
        sound,
        {
          ...last,
          local: { size: 0xffff_ffff, compressedSize: 0xffff_ffff, extra: zip64Field(1, 3) },
          central: { size: 0xffff_ffff, extra: zip64Field(1) },
        },
      ],
      { zip64: true },
    ],
    ['local records in another order', [sound, last], { localOrder: (all) => [...all].reverse() }],
    ['a Unicode path of the same name', [{ ...sound, extra: unicodePath('index.html', 'index.html') }], {}],
    ['padding by an aligner', [{ ...sound, local: { extra: Buffer.alloc(7) } }, last], {}],
    ['a comment', [sound], { comment: Buffer.alloc(MAX_COMMENT_BYTES, 'x') }],
    ['a comment on an entry', [{ ...sound, comment: 'The start page' }], {}],
  ])('accepts %s', async (_, entries, archive) => {
    const checked = await inspect(rawZip(entries, archive));
    expect(checked.entries.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
  });
});

describe('a bomb', () => {
  it('is rejected before it is unpacked when its header states its size', () =>
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
    const zip64 = rawZip([sound], { zip64: true, count: MAX_ENTRIES + 1 });
    await expect(inspect(zip64)).rejects.toThrow('65536 entries');
  });
});
