import { isAscii } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import {
  extraField,
  FLAG_UTF8,
  localRecord,
  rawZip,
  streamed,
  SYMLINK,
  unicodePath,
  type RawArchive,
  type RawEntry,
} from '@sluice/testing/raw-zip';
import { describeFile, filesIn, UNPACKERS, type Unpacked } from '../../../test/support/unpackers';
import { BundleFault } from './bundle-fault';
import { inspectBundle, type CheckedEntry } from './inspect-bundle';

const SEED = Number(process.env.ARCHIVE_SEED ?? 20_261_123);
/** `ARCHIVE_COUNT=100000 npm run jest -- --selectProjects slow --testPathPatterns unpackers` looks longer. */
const COUNT = Number(process.env.ARCHIVE_COUNT ?? 2_000);
const BATCH = 4_000;

let folder: string;
beforeAll(() => {
  folder = temporaryDirectory();
});

async function inspect(zip: Buffer): Promise<readonly CheckedEntry[]> {
  const path = join(folder, 'bundle.zip');
  await writeFile(path, zip);
  const { entries } = await inspectBundle(path, {
    size: zip.length,
    checksum: createHash('sha256').update(zip).digest('hex'),
    maxExpandedBytes: 1_000_000,
  });
  return entries;
}

/** Undefined when the bundle is refused. */
const verdictOn = (zip: Buffer) =>
  inspect(zip).catch((error: unknown) => {
    if (error instanceof BundleFault) return undefined;
    throw error;
  });

describe('what common archivers write is accepted', () => {
  const present = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
  const shell = (script: string) => {
    const { status, stderr } = spawnSync('sh', ['-ec', script], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };

  beforeAll(() =>
    shell(`mkdir -p app/assets/fonts && cd app && echo '<h1>Hello</h1>' > index.html && : > assets/empty.txt &&
      seq 20000 > assets/app.js && head -c 3000 /dev/urandom > assets/fonts/a.woff && ln -s app.js assets/link.js`),
  );

  const FILES = ['assets/app.js', 'assets/empty.txt', 'assets/fonts/a.woff', 'index.html'];

  const ARCHIVERS: [string, boolean, Record<string, string>][] = [
    [
      'zip',
      present('zip', '-v'),
      {
        'as it is': 'zip -qr ../made.zip .',
        stored: 'zip -0qr ../made.zip .',
        'with links': 'zip -qry ../made.zip .',
        'with a comment': 'echo release | zip -qrz ../made.zip .',
        'to a pipe': 'zip -qr - . | cat > ../made.zip',
        'with data descriptors': 'zip -qr -fd ../made.zip .',
        'stored, with data descriptors': 'zip -0qr -fd ../made.zip .',
        'with zip64': 'zip -qr -fz ../made.zip .',
        updated: 'zip -qr ../made.zip .; echo . >> index.html; zip -qr ../made.zip .',
      },
    ],
    [
      'jar',
      present('jar', '--version'),
      {
        'as it is': 'jar --create --no-manifest --file ../made.zip -C . .',
        stored: 'jar --create --no-compress --file ../made.zip -C . .',
        'to a pipe': 'jar --create -C . . | cat > ../made.zip',
      },
    ],
    [
      'Python',
      present('python3', '--version'),
      {
        'as it is': 'python3 -m zipfile -c ../made.zip index.html assets',
        'to a pipe': `python3 -c '
import os, sys, zipfile
with zipfile.ZipFile(sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED) as made:
    for place, _, files in os.walk("."):
        for file in files:
            made.write(os.path.join(place, file))
    made.writestr("äöü/日本.txt", "x", zipfile.ZIP_STORED)
' | cat > ../made.zip`,
      },
    ],
    ['bsdtar', present('bsdtar', '--version'), { 'as it is': 'bsdtar --format zip -cf ../made.zip *' }],
    ['7z', present('7z', 'i'), { 'as it is': '7z a -bd ../made.zip ./*' }],
  ];
  for (const [archiver, isPresent, ways] of ARCHIVERS) {
    (isPresent ? describe : describe.skip)(archiver, () => {
      it.each(Object.entries(ways))('%s', async (_, script) => {
        shell(`rm -f made.zip; cd app; ${script}`);
        const checked = await inspect(await readFile(join(folder, 'made.zip')));
        expect(checked.map(({ name }) => name)).toEqual(expect.arrayContaining(FILES));
      });
    });
  }
});

/** Names that are fine, and names that one reader or another takes for something else. */
const name = fc.constantFrom(
  ...[
    'index.html',
    'a.js',
    'b/c.js',
    'b/',
    'b/d/',
    'ä.js',
    '日本/😀.txt',
    'a\u0308.js',
    ' a .js ',
    '.a',
    'a.',
    '-x',
    '@x',
  ],
  ...[
    '~',
    '$HOME',
    '$x',
    'con',
    'a:b',
    'a;b',
    'a;1',
    'a;',
    'x,v',
    '[x]',
    '*',
    '__MACOSX/._a.js',
    'META-INF/x',
    '%2e%2e/x',
  ],
  ...[
    '../evil.js',
    'b/../../evil.js',
    '/ROOT/evil.js',
    './a.js',
    'b/./c.js',
    'b//c.js',
    'b\\c.js',
    'C:/x',
    'C:x',
    'a\u0001',
  ],
  ...[
    'a\u007f',
    'a\u0085',
    'a\0b',
    '',
    '.',
    '..',
    '/',
    './',
    'B/C.js',
    'A.JS',
    '\ufeffa.js',
    'a\u202ejs',
    'x'.repeat(250),
  ],
);
const mode = fc.constantFrom(0, 0o100644, 0o100644, 0o100755, 0o040755, SYMLINK, 0o010644, 0o100000, 0o104755);
const content = fc.constantFrom(
  '',
  'x',
  'let a = 1;\n'.repeat(9),
  'a.js',
  '../a.js',
  '../../../evil',
  '/etc',
  'PK\u0003\u0004',
);
const asi = (unixMode: number) => {
  const data = Buffer.alloc(14);
  data.writeUInt16LE(unixMode, 4);
  return extraField(0x756e, data);
};
const extra = fc.oneof(
  fc.constantFrom(
    Buffer.alloc(0),
    Buffer.alloc(3),
    Buffer.alloc(8),
    Buffer.of(1, 2, 3),
    extraField(0x5455, Buffer.of(1, 0, 0, 0, 1)),
  ),
  fc.tuple(name, name).map(([raw, other]) => unicodePath(raw, other)),
  mode.map(asi),
  fc.tuple(fc.nat(0xffff), fc.uint8Array({ maxLength: 20 })).map(([id, data]) => extraField(id, Buffer.from(data))),
  fc.uint8Array({ maxLength: 20 }).map((data) => extraField(1, Buffer.from(data))),
);
/** Rarely, so that many archives stay close to sound ones. */
const odd = <T>(lie: fc.Arbitrary<T>, weight = 1): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 40, arbitrary: fc.constant(undefined) }, { weight, arbitrary: lie });

const header = fc.record(
  {
    name: name.map((each) => Buffer.from(each)),
    flags: fc.constantFrom(0, FLAG_UTF8, FLAG_UTF8 | 8, 1, 6, 0x20, 0x40, 0x2000),
    method: fc.constantFrom(0, 8, 9, 12),
    crc: fc.constantFrom(0, 1, 0xffff_ffff),
    size: fc.constantFrom(0, 1, 2, 0xffff_ffff),
    compressedSize: fc.constantFrom(0, 1, 3, 0xffff_ffff),
    extra,
  },
  { requiredKeys: [] },
);

const entry: fc.Arbitrary<RawEntry> = fc
  .record({
    name: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom('index.html', 'a.js', 'b/c.js', 'ä.js', 'e/f/g', 'b/') },
      { weight: 1, arbitrary: name },
    ),
    content,
    method: fc.constantFrom<(0 | 8)[]>(0, 8),
    stream: odd(fc.record({ signed: fc.boolean(), wide: fc.boolean() }), 20),
    flags: odd(fc.constantFrom(0, FLAG_UTF8 | 2, FLAG_UTF8 | 4, 1, 0x40)),
    unixMode: odd(mode, 3),
    externalAttributes: odd(fc.oneof(fc.nat(0xff), fc.nat(0xffff_ffff))),
    madeBy: odd(fc.nat(0xffff), 4),
    extra: odd(extra, 3),
    comment: odd(fc.constantFrom('A comment', 'PK\u0001\u0002', 'x'.repeat(300)), 2),
    central: odd(header),
    local: odd(header),
    after: odd(fc.constantFrom(Buffer.from('x'), Buffer.alloc(16))),
    hidden: odd(fc.constant(true)),
    missing: odd(fc.constant(true)),
    packed: odd(
      fc.constantFrom(
        Buffer.of(3, 0),
        Buffer.concat([Buffer.of(3, 0), localRecord({ name: '../evil.js', content: 'evil' })]),
      ),
    ),
  })
  .map(({ stream, ...each }) => {
    const plain = (content: string) => ({ ...each, content: each.name.endsWith('/') ? '' : content }) as RawEntry;
    return stream ? streamed(plain(each.content), stream) : plain(each.content);
  });

const archive: fc.Arbitrary<RawArchive> = fc
  .record({
    prepended: odd(fc.constantFrom(Buffer.from('#!'), rawZip([{ name: 'other.js', content: 'other' }]))),
    beforeDirectory: odd(fc.constantFrom(Buffer.from('x'), localRecord({ name: 'other.js', content: 'other' }))),
    afterDirectory: odd(fc.constantFrom(Buffer.from('x'), Buffer.alloc(22))),
    comment: odd(fc.constantFrom(Buffer.from('a comment'), Buffer.alloc(2_000), rawZip([{ name: 'other.js' }])), 2),
    zip64: odd(fc.constant(true), 20),
    count: odd(fc.nat(4)),
    reversed: fc.boolean(),
  })
  .map(({ reversed, ...each }) => ({
    ...(each as RawArchive),
    ...(reversed && { localOrder: (entries: readonly RawEntry[]) => [...entries].reverse() }),
  }));

type Damage = (zip: Buffer) => Buffer;

/** Whole records: from one signature to the next. */
function recordsOf(zip: Buffer): Buffer[] {
  const bytes = zip.toString('latin1');
  const kinds = ['\u0001\u0002', '\u0003\u0004', '\u0005\u0006', '\u0006\u0006', '\u0006\u0007', '\u0007\b'];
  const starts = [...bytes.matchAll(/PK/g)].filter(({ index }) => kinds.includes(bytes.slice(index + 2, index + 4)));
  return starts.map(({ index }, at) => zip.subarray(index, starts[at + 1]?.index ?? zip.length));
}

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]): Damage => (zip) => {
    const copy = Buffer.from(zip);
    copy[at % zip.length] = byte;
    return copy;
  }),
  fc.tuple(fc.nat(), fc.nat(7)).map(([at, bit]): Damage => (zip) => {
    const copy = Buffer.from(zip);
    copy[at % zip.length] = copy[at % zip.length]! ^ (1 << bit);
    return copy;
  }),
  fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('twice', 'gone', 'moved')).map(([one, other, what]): Damage => (zip) => {
    const records = recordsOf(zip);
    if (records.length === 0) return zip;
    const [record] = records.splice(one % records.length, what === 'twice' ? 0 : 1);
    const chosen = record ?? records[one % records.length]!;
    if (what !== 'gone') records.splice(other % (records.length + 1), 0, chosen);
    return Buffer.concat(records);
  }),
  fc.tuple(fc.nat(), fc.nat(30)).map(([at, length]): Damage => (zip) => {
    const start = at % zip.length;
    return Buffer.concat([zip.subarray(0, start), zip.subarray(start + length)]);
  }),
  fc.uint8Array({ minLength: 1, maxLength: 30 }).map(
    (bytes): Damage =>
      (zip) =>
        Buffer.concat([zip, bytes]),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 30 }).map(
    (bytes): Damage =>
      (zip) =>
        Buffer.concat([bytes, zip]),
  ),
  fc.constant<Damage>((zip) => Buffer.concat([zip, zip])),
  fc.constant<Damage>((zip) => Buffer.concat([rawZip([{ name: 'other.js', content: 'other' }]), zip])),
);

const sample = fc
  .tuple(
    fc.uniqueArray(entry, { minLength: 1, maxLength: 3, selector: ({ name: each }) => each }),
    archive,
    fc.array(damage, { maxLength: 2 }),
  )
  .map(([entries, form, damages]) =>
    damages.reduce((zip, apply) => (zip.length > 0 ? apply(zip) : zip), rawZip(entries, form)),
  );

const expectedFiles = (entries: readonly CheckedEntry[]): Unpacked =>
  new Map(
    entries.filter(({ kind }) => kind !== 'directory').map((each) => [each.name, describeFile(each.size, each.crc32)]),
  );

describe('a bundle that is accepted', () => {
  for (const { name: absent } of UNPACKERS.filter(({ present }) => !present)) {
    it.skip(`unpacks to the files that were checked, with ${absent}, which is not installed`, () => undefined);
  }

  it(
    'unpacks to the files that were checked, and to no other, with every unpacker',
    async () => {
      const seen = { archives: 0, accepted: 0, unpacked: {} as Record<string, number> };
      for (let batch = 0; batch * BATCH < COUNT; batch += 1) {
        const zips = fc.sample(sample, { seed: SEED + batch, numRuns: Math.min(BATCH, COUNT - batch * BATCH) });
        const root = join(folder, `batch-${batch}`);
        const archives = join(root, 'a/b/c/d/archives');
        await mkdir(archives, { recursive: true });
        const accepted = new Map<string, Unpacked>();
        for (const [index, zip] of zips.entries()) {
          const entries = await verdictOn(zip);
          if (!entries) continue;
          const id = `${index}.zip`;
          accepted.set(id, expectedFiles(entries));
          await writeFile(join(archives, id), zip);
        }
        seen.archives += zips.length;
        seen.accepted += accepted.size;
        for (const [place, unpacker] of UNPACKERS.entries()) {
          if (!unpacker.present) continue;
          const target = join(root, `a/b/c/d/unpacked-${place}`);
          await mkdir(target);
          const unpacked = await unpacker.unpackAll(archives, target);
          seen.unpacked[unpacker.name] = (seen.unpacked[unpacker.name] ?? 0) + unpacked.size;
          for (const id of unpacked) {
            const names = [...accepted.get(id)!.keys()].join('');
            if (!unpacker.utf8 && !isAscii(Buffer.from(names))) continue;
            const found = Object.fromEntries(await filesIn(join(target, id)));
            const wanted = Object.fromEntries(accepted.get(id)!);
            if (JSON.stringify(sorted(found)) !== JSON.stringify(sorted(wanted))) {
              const zip = (await readFile(join(archives, id))).toString('base64');
              throw new Error(
                `${unpacker.name} unpacks ${JSON.stringify(found)}; checked were ${JSON.stringify(wanted)} (ARCHIVE_SEED=${SEED}, batch ${batch}, ${id}): ${zip}`,
              );
            }
          }
          expect(await readdir(target)).toHaveLength(accepted.size);
        }
        // Nothing climbed out of its folder.
        expect(await readdir(root)).toEqual(['a']);
        for (const [level, inner] of [
          ['a', 'b'],
          ['a/b', 'c'],
          ['a/b/c', 'd'],
        ] as const) {
          expect(await readdir(join(root, level))).toEqual([inner]);
        }
        await rm(root, { recursive: true });
      }
      process.stderr.write(`ARCHIVE_SEED=${SEED}: ${JSON.stringify(seen)}\n`);
      expect(seen.accepted).toBeGreaterThan(seen.archives / 20);
    },
    60_000 + COUNT * 50,
  );
});

function sorted(files: Record<string, string>): [string, string][] {
  return Object.entries(files).sort(([left], [right]) => (left < right ? -1 : 1));
}
