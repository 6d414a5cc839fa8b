/// <reference types="node" />
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { UpdateStorage } from './storage.js';
import { unzip, type UnzipLimits } from './unzip.js';
import type { StartedBundle } from './updater.js';

export interface NodeStorage extends UpdateStorage {
  /**
   * Unpacks a started bundle, unless an earlier start did, and returns the path of the folder with its files.
   * @throws UpdateError as `unzip` and `bundle.read()` do
   */
  unpack(bundle: StartedBundle, limits?: UnzipLimits): Promise<string>;
}

const STATE = 'state.json';
const ARCHIVE = '.zip';
const FILES = '.files';

/** Keeps everything in a folder, for Node and Electron's main process. Only one process may use a folder at a time. */
export function nodeStorage(folder: string): NodeStorage {
  // An id is data of the server: it must not become a path.
  const pathOf = (id: string, suffix: string) => join(folder, `${encodeURIComponent(id)}${suffix}`);
  const archiveOf = (id: string) => pathOf(id, ARCHIVE);
  const state = join(folder, STATE);
  return {
    async updateState(change) {
      const record = await orAbsent(readFile(state, 'utf8'));
      const next = change(record);
      if (next === record) return;
      await mkdir(folder, { recursive: true });
      const made = `${state}.new`;
      await writeFile(made, next, { flush: true });
      await rename(made, state);
      await flushFolder(folder);
    },
    async bundles() {
      const names = (await orAbsent(readdir(folder))) ?? [];
      return names.flatMap((name) =>
        name.endsWith(ARCHIVE) ? [decodeURIComponent(name.slice(0, -ARCHIVE.length))] : [],
      );
    },
    sizeOf: async (id) => (await orAbsent(stat(archiveOf(id))))?.size ?? 0,
    async append(id, bytes) {
      await mkdir(folder, { recursive: true });
      await writeFile(archiveOf(id), bytes, { flag: 'a', flush: true });
    },
    read: async (id) => (await orAbsent(readFile(archiveOf(id)))) ?? new Uint8Array(),
    async delete(id) {
      await rm(pathOf(id, FILES), { recursive: true, force: true });
      await rm(archiveOf(id), { force: true });
    },
    async unpack(bundle, limits) {
      const target = pathOf(bundle.id, FILES);
      if ((await orAbsent(stat(target))) !== undefined) return target;
      const made = join(folder, `${randomUUID()}.new`);
      try {
        for (const [path, bytes] of await unzip(await bundle.read(), limits)) {
          await mkdir(dirname(join(made, path)), { recursive: true });
          // Never over a file that differs only by case, where the file system ignores case.
          await writeFile(join(made, path), bytes, { flag: 'wx' });
        }
        await mkdir(made, { recursive: true });
        await rename(made, target);
      } catch (error) {
        await rm(made, { recursive: true, force: true });
        throw error;
      }
      return target;
    },
  };
}

/** Undefined: the file or folder does not exist. */
async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a rename durable. Windows can't open folders, and its file system needs no such step. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // Not every file system can.
  } finally {
    await handle?.close();
  }
}
