import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@sluice/testing';
import { open as openZip, type Entry, type ZipFile } from 'yauzl';
import { zipFolder } from './zip-folder';

const FILES: Readonly<Record<string, Buffer>> = {
  'index.html': Buffer.from('<!doctype html><title>Hello</title>'),
  'assets/app.js': Buffer.from('console.log("sluice");\n'.repeat(20_000)),
  'assets/empty.css': Buffer.alloc(0),
  'assets-old/ä.txt': Buffer.from('not ASCII'),
  'Zebra.txt': Buffer.from('upper case sorts first'),
  '.well-known/assetlinks.json': Buffer.from('[]'),
  'exactly-a-block.bin': Buffer.alloc(65_536, 1),
  'noise.bin': randomBytes(200_001),
};

async function write(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), FILES[name]!);
  }
}

async function contents(path: string): Promise<{ entries: Entry[]; bodies: Buffer[] }> {
  const zip = await promisify<string, { lazyEntries: true }, ZipFile>(openZip)(path, { lazyEntries: true });
  const entries: Entry[] = [];
  const bodies: Buffer[] = [];
  return new Promise((fulfil, reject) => {
    zip.on('error', reject);
    zip.on('end', () => fulfil({ entries, bodies }));
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      zip.openReadStream(entry, (error, stream) => {
        if (error) reject(error);
        else
          void buffer(stream).then((body) => {
            bodies.push(body);
            zip.readEntry();
          }, reject);
      });
    });
    zip.readEntry();
  });
}

describe('the zip of a folder', () => {
  let scratch: string;
  let count = 0;
  const zip = async (folder: string) => {
    const target = join(scratch, `${(count += 1)}.zip`);
    await zipFolder(folder, target);
    return readFile(target);
  };

  beforeEach(() => {
    scratch = temporaryDirectory();
  });

  it('is the same bytes whenever, wherever and in whatever order the files were written', async () => {
    const names = Object.keys(FILES);
    const [here, there] = [join(scratch, 'here'), join(scratch, 'there')];
    await write(here, names);
    await write(there, [...names].reverse());
    await utimes(join(there, 'index.html'), new Date(), new Date('2031-05-05T05:05:05Z'));
    await chmod(join(there, 'index.html'), 0o755);
    await mkdir(join(there, 'empty-folder'));

    const first = await zip(here);
    expect((await zip(here)).equals(first)).toBe(true);
    expect((await zip(there)).equals(first)).toBe(true);
  });

  it('is the same bytes in every time zone, and stays the same with every release', async () => {
    const folder = join(scratch, 'fixed');
    await write(folder, ['index.html', 'assets/app.js', 'assets/empty.css', 'exactly-a-block.bin']);
    const script = `require(process.argv[1]).zipFolder(process.argv[2], process.argv[3])`;
    const hashes = new Set<string>();
    for (const zone of ['UTC', 'Pacific/Kiritimati', 'America/St_Johns']) {
      const target = join(scratch, `${zone.replace('/', '-')}.zip`);
      execFileSync(
        process.execPath,
        ['-r', resolve('test/register-swc.cjs'), '-e', script, join(__dirname, 'zip-folder.ts'), folder, target],
        { env: { ...process.env, TZ: zone } },
      );
      hashes.add(
        createHash('sha256')
          .update(await readFile(target))
          .digest('hex'),
      );
    }
    expect([...hashes]).toEqual(['9f8c98d16967ec5355efb212168a46924e1b09c26cb66a3bda25ff1c7258fc30']);
  }, 30_000);

  it('holds every file whole, sorted by name, of one time and one mode', async () => {
    await write(join(scratch, 'folder'), Object.keys(FILES));
    await zip(join(scratch, 'folder'));
    const { entries, bodies } = await contents(join(scratch, `${count}.zip`));
    const names = entries.map((entry) => entry.fileName);
    expect(names).toEqual(Object.keys(FILES).sort());
    for (const [index, name] of names.entries()) expect(bodies[index]!.equals(FILES[name]!)).toBe(true);
    expect(new Set(entries.map((entry) => entry.externalFileAttributes >>> 16))).toEqual(new Set([0o100644]));
    expect(new Set(entries.map((entry) => `${entry.lastModFileDate} ${entry.lastModFileTime}`)).size).toBe(1);
  });

  it('rejects a symbolic link, naming it and what to do', async () => {
    const folder = join(scratch, 'linked');
    await write(folder, ['index.html']);
    await symlink('index.html', join(folder, 'start.html'));
    await expect(zip(folder)).rejects.toMatchObject({
      message: expect.stringContaining('start.html is a symbolic link'),
      advice: expect.stringContaining('copy of the file'),
    });
  });

  it('rejects a folder without files', async () => {
    await mkdir(join(scratch, 'bare/inner'), { recursive: true });
    await expect(zip(join(scratch, 'bare'))).rejects.toThrow('holds no file');
  });
});
