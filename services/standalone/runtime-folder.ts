import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '@sluice/cli';
import { commonSettings } from '@sluice/config';

/** In DATA_DIR. */
export const RUNTIME_FOLDER = '.runtime';

/** A running process marks its folder as used in shorter intervals, so that no other release deletes it. */
const MARK_MS = 60 * 60 * 1_000;
const UNUSED_AFTER_MS = 24 * MARK_MS;

/** The files that the executable holds. */
export interface RuntimeFiles {
  /** Names the set of files. */
  readonly hash: string;
  /** SHA-256 in hexadecimal digits, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The content of a file. */
  readonly read: (path: string) => Uint8Array;
}

/** Absolute path of DATA_DIR, which may not exist yet. */
export function dataFolder({ DATA_DIR }: Readonly<Record<string, string | undefined>>): string {
  return commonSettings.shape.DATA_DIR.parse(DATA_DIR === '' ? undefined : DATA_DIR);
}

/**
 * Unpacks the files to their folder in DATA_DIR. Files that are there are verified, and replaced if they differ. Each
 * file appears as a whole, so several processes may unpack simultaneously, and a start continues where one that was
 * killed ended. Deletes folders of other hashes that no process has used for a day.
 * @returns the folder
 * @throws Failure if the folder is incomplete and can't be written
 */
export function unpackRuntime(dataDir: string, { hash, files, read }: RuntimeFiles): string {
  const root = join(dataDir, RUNTIME_FOLDER);
  const folder = join(root, hash);
  try {
    markUsed(folder);
    for (const [path, digest] of Object.entries(files)) {
      const target = join(folder, path);
      if (digestOf(target) === digest) continue;
      const content = read(path);
      if (sha256(content) !== digest) throw damaged(path);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      const part = join(root, `${hash}-${randomUUID()}`);
      try {
        writeFileSync(part, content, { mode: 0o600, flag: 'wx' });
        renameSync(part, target);
      } finally {
        rmSync(part, { force: true });
      }
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure({
      ...{ attempt: `unpack files to ${folder}`, code, message, cause: error },
      advice: 'The server unpacks some of its files to DATA_DIR. Set DATA_DIR to a folder that it can write to.',
    });
  }
  markUsed(folder);
  setInterval(markUsed, MARK_MS, folder).unref();
  removeUnused(root, hash);
  return folder;
}

const damaged = (path: string): Failure =>
  new Failure({ code: 'DAMAGED', message: `${path} in this file is damaged.`, advice: 'Download the file again.' });

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

function digestOf(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** Does nothing if the folder is missing or read-only. */
function markUsed(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // A complete folder may be read-only.
  }
}

function removeUnused(root: string, hash: string): void {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    try {
      if (name !== hash && Date.now() - statSync(path).mtimeMs > UNUSED_AFTER_MS) rmSync(path, { recursive: true });
    } catch {
      // Another process deletes it, or it is read-only.
    }
  }
}
