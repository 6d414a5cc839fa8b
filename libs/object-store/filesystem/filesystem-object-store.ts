import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, opendir, rename, rm, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { consume } from '../consume';
import { assertObjectKey, InvalidObjectKeyError, isKeySegment, splitKeyPrefix } from '../object-key';
import {
  ObjectNotFoundError,
  ObjectStoreUnavailableError,
  ObjectTooLargeError,
  type ByteRange,
  type ObjectStore,
  type PutOptions,
  type PutResult,
  type StoredObject,
} from '../port';

/** A key has no tilde, so this folder can never contain an object. */
const STAGING = 'staging~';
/** Bytes of one read. Each slow reader holds twice as much in memory. */
const READ_BYTES = 32 * 1024;
/**
 * Limits the simultaneous reads of all readers. A thousand reads that end simultaneously would fill one turn of the event
 * loop, and every other request would wait until their bytes are sent.
 */
const reading = pLimit(3);
const STALE_AFTER_MS = 3_600_000;

/**
 * Stores objects as plain files in one folder. A key is the path of its file. Bytes are written to a staging file on
 * the same filesystem, which is synced and then renamed to the key; a put resolves after the folder is synced too.
 * Several processes may share the folder.
 * @throws ObjectStoreUnavailableError when the folder can't be created or read
 */
export async function openFilesystemObjectStore(options: { readonly path: string }): Promise<ObjectStore> {
  const root = options.path;
  const staging = join(root, STAGING);
  const pathOf = (key: string): string => {
    assertObjectKey(key);
    return join(root, key);
  };

  await onDisk(mkdir(staging, { recursive: true, mode: 0o700 }));
  await onDisk(sweepStale(staging));
  const sweeping = setInterval(() => void sweepStale(staging).catch(() => undefined), STALE_AFTER_MS).unref();

  return {
    async put(key, source, putOptions = {}) {
      const target = pathOf(key);
      const staged = join(staging, randomUUID());
      try {
        const result = await receive(source, staged, putOptions);
        await publish(key, staged, target);
        return result;
      } catch (error) {
        await rm(staged, { force: true }).catch(() => undefined);
        throw error;
      }
    },

    async get(key, range) {
      const file = await presentOnDisk(open(pathOf(key), 'r'));
      if (file === undefined) throw new ObjectNotFoundError(key);
      try {
        const facts = await onDisk(file.stat());
        if (!facts.isFile()) throw new ObjectNotFoundError(key);
        return read(file, range === undefined ? { start: 0, end: facts.size - 1 } : within(range, facts.size));
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    async stat(key) {
      return describe(key, pathOf(key));
    },

    async delete(key) {
      const path = pathOf(key);
      if ((await describe(key, path)) === undefined) return false;
      return (await presentOnDisk(unlink(path).then(() => true))) ?? false;
    },

    async *list(prefix) {
      const { folder, beginning } = splitKeyPrefix(prefix);
      yield* walk(root, folder, beginning);
    },

    async ping() {
      await onDisk(access(staging, constants.R_OK | constants.W_OK | constants.X_OK));
    },

    close: () => {
      clearInterval(sweeping);
      return Promise.resolve();
    },
  };
}

/** Writes the source into a new file, which is synced when this resolves. Destroys the source on a failure. */
async function receive(source: Readable, path: string, { maxBytes = Infinity }: PutOptions): Promise<PutResult> {
  const hash = createHash('sha256');
  let size = 0;
  await consume(source, async (chunks) => {
    const file = await onDisk(open(path, 'wx', 0o600));
    try {
      for await (const chunk of chunks) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        size += bytes.length;
        if (size > maxBytes) throw new ObjectTooLargeError(maxBytes);
        hash.update(bytes);
        await onDisk(writeAll(file, bytes));
      }
      await onDisk(file.sync());
    } finally {
      await onDisk(file.close());
    }
  });
  return { size, sha256: hash.digest('hex') };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
}

/** Reads the bytes of the range on demand and closes the file at the end. */
function read(file: FileHandle, { start, end }: ByteRange): Readable {
  let position = start;
  return new Readable({
    highWaterMark: READ_BYTES,
    read() {
      const wanted = Math.min(READ_BYTES, end + 1 - position);
      reading(() => file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, position)).then(
        ({ bytesRead, buffer }) => {
          position += bytesRead;
          this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
        },
        (error: unknown) => this.destroy(unavailable(error)),
      );
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        (fault: unknown) => done(error ?? (fault as Error)),
      );
    },
  });
}

/** Renames the staged file durably: the parent of every new folder is synced. */
async function publish(key: string, staged: string, target: string): Promise<void> {
  const folder = dirname(target);
  let topmostMade: string | undefined;
  try {
    topmostMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(staged, target);
  } catch (error) {
    if (isErrno(error, 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENOTEMPTY')) {
      throw new InvalidObjectKeyError(key, 'A key must not be a parent folder of another key.');
    }
    throw unavailable(error);
  }
  const topmostChanged = topmostMade === undefined ? folder : dirname(topmostMade);
  try {
    for (let changed = folder; ; changed = dirname(changed)) {
      await syncFolder(changed);
      if (changed === topmostChanged) return;
    }
  } catch (error) {
    await rm(target, { force: true }).catch(() => undefined);
    throw unavailable(error);
  }
}

/** Makes new and removed entries of a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function within({ start, end }: ByteRange, size: number): ByteRange {
  if (Number.isSafeInteger(start) && start >= 0 && start < size && end >= start) {
    return { start, end: Math.min(end, size - 1) };
  }
  throw new RangeError(`Bytes ${start} to ${end} are outside the object, which has ${size} bytes.`);
}

async function describe(key: string, path: string): Promise<StoredObject | undefined> {
  const facts = await presentOnDisk(stat(path));
  return facts?.isFile() ? { key, size: facts.size, modifiedAt: facts.mtime } : undefined;
}

/** `folder` is empty or ends in a slash. Entries that are no key (the staging folder, foreign files) are skipped. */
async function* walk(root: string, folder: string, beginning: string): AsyncGenerator<StoredObject> {
  const entries = await presentOnDisk(opendir(join(root, folder)));
  if (entries === undefined) return;
  try {
    for (let entry = await onDisk(entries.read()); entry !== null; entry = await onDisk(entries.read())) {
      if (!isKeySegment(entry.name) || !entry.name.startsWith(beginning)) continue;
      const key = folder + entry.name;
      if (entry.isDirectory()) {
        yield* walk(root, `${key}/`, '');
      } else {
        const object = await describe(key, join(root, key));
        if (object !== undefined) yield object;
      }
    }
  } finally {
    await entries.close();
  }
}

/** A put in progress writes, which updates the modification time of its staging file. */
async function sweepStale(staging: string): Promise<void> {
  for await (const entry of await opendir(staging)) {
    const path = join(staging, entry.name);
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && Date.now() - facts.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true });
  }
}

function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

function unavailable(error: unknown): ObjectStoreUnavailableError {
  const { message } = error as NodeJS.ErrnoException;
  return new ObjectStoreUnavailableError(`The disk of the object store failed: ${message}`, { cause: error });
}

async function onDisk<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Undefined when the path does not exist. */
async function presentOnDisk<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw unavailable(error);
  }
}
