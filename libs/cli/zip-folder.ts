import { createWriteStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from './failure';

/** Deflate's output depends on how its input is cut, so it is always cut here. */
const BLOCK = 65_536;
/** The format holds local time without a zone, so the local noon gives the same bytes everywhere. */
const NOON = new Date(1980, 0, 1, 12);
const UNIX = 3;
const REGULAR_FILE_0644 = (0o100644 << 16) >>> 0;
const MAX_ENTRIES = 65_534;
const MAX_BYTES = 0xffff_ffff;

/**
 * Zips a folder's files into a new file and answers their number. The same names and bytes give the
 * same zip on every machine: entries in code unit order of their paths, all of one time (noon of
 * 1980-01-01) and mode (0644), compressed by code that does not depend on the machine's zlib. Empty
 * folders are left out.
 * @throws Failure for a symbolic link or another special file, for no file at all, and beyond what a
 *   plain zip can hold (65,534 files, 4 GiB)
 */
export async function zipFolder(folder: string, target: string, signal?: AbortSignal): Promise<number> {
  const names = (await filesBelow(folder, '')).sort((left, right) => (left < right ? -1 : 1));
  if (names.length === 0) {
    throw new Failure({ code: 'EMPTY_FOLDER', message: `${folder} holds no file.` });
  }
  if (names.length > MAX_ENTRIES) {
    throw new Failure({ code: 'TOO_MANY_FILES', message: `${folder} holds more than ${MAX_ENTRIES} files.` });
  }
  await pipeline(zipped(folder, names), createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal });
  return names.length;
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = folder + entry.name;
    if (entry.isDirectory()) {
      names.push(...(await filesBelow(root, `${name}/`)));
    } else if (entry.isFile()) {
      names.push(name);
    } else {
      const kind = entry.isSymbolicLink() ? 'a symbolic link' : 'neither a file nor a folder';
      throw new Failure({
        code: 'UNSUPPORTED_FILE',
        message: `${join(root, name)} is ${kind}. A bundle holds files and folders only.`,
        advice: 'Put a copy of the file in its place, or upload a zip that you made yourself.',
      });
    }
  }
  return names;
}

async function* zipped(folder: string, names: readonly string[]): AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate } = await import('fflate');
  const ready: Uint8Array[] = [];
  let size = 0;
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    size += bytes.length;
    if (size > MAX_BYTES) throw new Failure({ code: 'TOO_LARGE', message: `${folder} does not fit into 4 GiB.` });
    ready.push(bytes);
  });
  for (const name of names) {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = NOON;
    entry.os = UNIX;
    entry.attrs = REGULAR_FILE_0644;
    zip.add(entry);
    for await (const block of blocksOf(join(folder, name))) {
      entry.push(block);
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(0), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}

/** Full blocks, whatever the filesystem hands out at a time; the last one is shorter. */
async function* blocksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    for (let filled = BLOCK; filled === BLOCK;) {
      const block = new Uint8Array(BLOCK);
      filled = 0;
      for (let read = 1; read > 0 && filled < BLOCK; filled += read) {
        read = (await file.read(block, filled)).bytesRead;
      }
      if (filled > 0) yield block.subarray(0, filled);
    }
  } finally {
    await file.close();
  }
}
