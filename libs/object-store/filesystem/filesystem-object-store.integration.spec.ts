import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { temporaryDirectory } from '@sluice/testing';
import { InvalidObjectKeyError } from '../object-key';
import { ObjectNotFoundError, ObjectStoreUnavailableError, type ObjectStore } from '../port';
import { openFilesystemObjectStore } from './filesystem-object-store';

/** Starts a put that never ends, and notifies the parent process once the first megabyte is in the staging file. */
const ENDLESS_PUT = `
  const { Readable } = require('node:stream');
  const { openFilesystemObjectStore } = require(process.argv[1]);
  let pulled = 0;
  const source = new Readable({
    read() {
      pulled += 1;
      if (pulled === 17) process.send('half way');
      if (pulled <= 17) this.push(Buffer.alloc(65536, 7));
    },
  });
  openFilesystemObjectStore({ path: process.argv[2] }).then((store) => store.put('bundles/killed.zip', source));
`;

describe('the filesystem engine', () => {
  let path: string;
  let store: ObjectStore;
  const staged = () => readdir(join(path, 'staging~'));
  const all = async () => {
    const keys: string[] = [];
    for await (const object of store.list('')) keys.push(object.key);
    return keys;
  };

  beforeEach(async () => {
    path = temporaryDirectory();
    store = await openFilesystemObjectStore({ path });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('never shows a put whose process was killed, and sweeps its bytes once they are old', async () => {
    const child = spawn(
      process.execPath,
      ['-r', resolve('test/register-swc.cjs'), '-e', ENDLESS_PUT, join(__dirname, 'index.ts'), path],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');

    const [left] = await staged();
    const leftPath = join(path, 'staging~', left!);
    expect((await stat(leftPath)).size).toBeGreaterThan(0);

    store = await openFilesystemObjectStore({ path });
    expect(await all()).toEqual([]);
    expect(await store.stat('bundles/killed.zip')).toBeUndefined();
    await expect(store.get('bundles/killed.zip')).rejects.toThrow(ObjectNotFoundError);
    expect(await staged()).toEqual([left]);

    const old = new Date(Date.now() - 3_700_000);
    await utimes(leftPath, old, old);
    await openFilesystemObjectStore({ path });
    expect(await staged()).toEqual([]);
  }, 30_000);

  it('leaves no staging file behind, however a put ends', async () => {
    await store.put('good', Readable.from(['bytes']));
    await expect(store.put('large', Readable.from(['bytes']), { maxBytes: 4 })).rejects.toThrow();
    const broken = new Readable({ read: () => broken.destroy(new Error('gone')) });
    await expect(store.put('broken', broken)).rejects.toThrow('gone');
    expect(await staged()).toEqual([]);
  });

  it('continues a read whose object is deleted', async () => {
    const bytes = Buffer.alloc(5_000_000, 'sluice');
    await store.put('read', Readable.from([bytes]));
    const running = await store.get('read');
    await store.delete('read');
    expect((await buffer(running)).equals(bytes)).toBe(true);
  });

  it.each(['ENOSPC', 'EIO', 'EDQUOT'])(
    'rejects as unavailable when a write fails with %s, and cleans up',
    async (code) => {
      const probe = await open(join(path, 'probe'), 'w');
      const prototype = Object.getPrototypeOf(probe) as typeof probe;
      await probe.close();
      const full = Object.assign(new Error(`${code}: the disk says no`), { code });
      jest.spyOn(prototype, 'write').mockRejectedValue(full);

      const source = Readable.from([Buffer.alloc(1_000)]);
      await expect(store.put('bundles/one.zip', source)).rejects.toThrow(ObjectStoreUnavailableError);
      expect(source.destroyed).toBe(true);
      expect(await staged()).toEqual([]);
      expect(await all()).toEqual(['probe']);
    },
  );

  it('resolves a put only after the bytes and the new folders are synced', async () => {
    const probe = await open(join(path, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    const sync = jest.spyOn(prototype, 'sync');
    await store.put('a/b/c', Readable.from(['x']));
    expect(sync).toHaveBeenCalledTimes(4); // the file, a/b, a, and the root, which got the new folder a

    sync.mockRejectedValue(Object.assign(new Error('EIO: lost'), { code: 'EIO' }));
    await expect(store.put('a/b/d', Readable.from(['x']))).rejects.toThrow(ObjectStoreUnavailableError);
    expect(await all()).toEqual(expect.not.arrayContaining(['a/b/d']));
  });

  it('is unavailable, not empty, when its folder is missing', async () => {
    await rm(path, { recursive: true });
    await expect(store.put('one', Readable.from(['x']))).rejects.toThrow(ObjectStoreUnavailableError);
    await expect(store.ping()).rejects.toThrow(ObjectStoreUnavailableError);
  });

  it('does not open when its path is a file', async () => {
    await writeFile(join(path, 'file'), '');
    await expect(openFilesystemObjectStore({ path: join(path, 'file') })).rejects.toThrow(ObjectStoreUnavailableError);
  });

  it('rethrows an error of the source, even one with an error code of the disk', async () => {
    const error = Object.assign(new Error('EIO: of another disk'), { code: 'EIO' });
    const source = new Readable({ read: () => source.destroy(error) });
    await expect(store.put('one', source)).rejects.toBe(error);
  });

  it('rejects a key below or above another one', async () => {
    await store.put('a/b', Readable.from(['x']));
    await expect(store.put('a/b/c', Readable.from(['x']))).rejects.toThrow(InvalidObjectKeyError);
    await expect(store.put('a', Readable.from(['x']))).rejects.toThrow(InvalidObjectKeyError);
    expect(await all()).toEqual(['a/b']);
    expect(await staged()).toEqual([]);
  });

  it('lists objects only, not other files in the folder', async () => {
    await store.put('one', Readable.from(['x']));
    await mkdir(join(path, 'lost+found'));
    await symlink('nowhere', join(path, 'dangling'));
    expect(await all()).toEqual(['one']);
  });
});
