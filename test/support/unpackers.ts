import { spawn, spawnSync } from 'node:child_process';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';

/** A program that unpacks zip archives as devices and people do. */
export interface Unpacker {
  readonly name: string;
  readonly present: boolean;
  /** Whether it reads names that are marked as UTF-8 as UTF-8, whatever system the archive says it was made on. */
  readonly utf8: boolean;
  /** Unpacks each archive of the folder into `target/<its name>`; resolves with the names of those it accepted. */
  readonly unpackAll: (archives: string, target: string) => Promise<ReadonlySet<string>>;
}

/** What lies in a folder: a file's size and CRC-32, a link's target. */
export type Unpacked = ReadonlyMap<string, string>;

/** Runs a program, with UTF-8 file names. */
async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  child.stderr.resume();
  return text(child.stdout);
}

const present = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const script = (command: string, args: readonly string[]) => async (archives: string, target: string) =>
  new Set((await run(command, [...args, archives, target])).split('\n').filter((line) => line !== ''));

const java = (how: 'stream' | 'file') => script('java', [join(__dirname, 'Unpack.java'), how]);

const UNZIP_ALL = `
for archive in "$1"/*; do
  name=\${archive##*/}
  mkdir -p "$2/$name"
  unzip -qq -o "$archive" -d "$2/$name" >&2
  # 1 means that it warned and unpacked all the same.
  [ $? -le 1 ] && echo "$name"
done`;

const javaPresent = present('java', '-version') && present('javac', '-version');

export const UNPACKERS: readonly Unpacker[] = [
  {
    name: 'Info-ZIP unzip',
    present: present('unzip', '-v'),
    utf8: false,
    unpackAll: script('sh', ['-c', UNZIP_ALL, 'sh']),
  },
  {
    name: 'Python zipfile',
    present: present('python3', '--version'),
    utf8: true,
    unpackAll: script('python3', [join(__dirname, 'unpack.py')]),
  },
  { name: 'Java ZipInputStream', present: javaPresent, utf8: true, unpackAll: java('stream') },
  { name: 'Java ZipFile', present: javaPresent, utf8: true, unpackAll: java('file') },
];

export function describeFile(size: number, sum: number): string {
  return `${size} bytes, CRC-32 ${sum.toString(16)}`;
}

/** Files and links below the folder. */
export async function filesIn(folder: string, below = ''): Promise<Unpacked> {
  const found = new Map<string, string>();
  for (const name of await readdir(join(folder, below))) {
    const path = below + name;
    const stats = await lstat(join(folder, path));
    if (stats.isDirectory()) {
      for (const [inner, content] of await filesIn(folder, `${path}/`)) found.set(inner, content);
    } else {
      const content = stats.isSymbolicLink()
        ? Buffer.from(await readlink(join(folder, path)))
        : await readFile(join(folder, path));
      found.set(path, describeFile(content.length, crc32(content)));
    }
  }
  return found;
}
