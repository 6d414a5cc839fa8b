import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { fileIndexKey } from '@sluice/contracts';
import type { ObjectStore } from '@sluice/object-store';
import { BundleFault } from './bundle-fault';
import { type ExpectedBundle, requireSameBytes, type UploadedBytes } from './inspect-bundle';
import type { Inspection, Verdict } from './inspection.worker';

/** Enough for the names of MAX_ENTRIES entries many times over; content streams through. */
const THREAD_HEAP_MB = 192;

const COPY_PREFIX = 'sluice-bundle-';
/** Far longer than a check takes. */
const ABANDONED_AFTER_MS = 60 * 60 * 1_000;

/** Removes the temporary copies of processes that were killed during a check. */
export async function sweepAbandonedCopies(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(COPY_PREFIX)) continue;
    const path = join(tmpdir(), name);
    const facts = await stat(path).catch(() => undefined);
    if (facts !== undefined && Date.now() - facts.mtimeMs > ABANDONED_AFTER_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/**
 * Checks a stored bundle in a thread of its own, from a temporary copy that it removes again, and stores the index of its
 * files as another object.
 * @throws BundleFault; the object store's errors; the signal's reason once it is aborted
 */
export async function checkBundle(
  objects: ObjectStore,
  key: string,
  expected: ExpectedBundle,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), COPY_PREFIX));
  try {
    const path = join(folder, 'bundle.zip');
    const source = await objects.get(key);
    // A pipeline whose signal was aborted before it began leaves its streams open.
    if (signal.aborted) source.destroy();
    signal.throwIfAborted();
    await pipeline(source, createWriteStream(path), { signal });
    const indexPath = join(folder, 'index.json');
    await inspectInThread({ path, indexPath, expected }, signal);
    await objects.put(fileIndexKey(key), createReadStream(indexPath));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of AES-128-CBC. */
const BLOCK_BYTES = 16;

/**
 * Checks a stored bundle that was encrypted before its upload. Its content is unknown, so it gets no index of its files.
 * @throws as checkBundle
 */
export async function checkEncrypted(
  objects: Pick<ObjectStore, 'get'>,
  key: string,
  expected: UploadedBytes,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const source = await objects.get(key);
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of addAbortSignal(signal, source) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  requireSameBytes({ size, checksum: hash.digest('hex') }, expected);
  if (size > 0 && size % BLOCK_BYTES === 0) return;
  throw new BundleFault(
    `The bundle has ${size} bytes. Encrypted with AES-128-CBC, as \`delivery\` states, it would have a multiple of ${BLOCK_BYTES}.`,
  );
}

async function inspectInThread(inspection: Inspection, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const thread = new Worker(require.resolve('./inspection.worker'), {
    workerData: inspection,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
  });
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { fault } = await new Promise<Verdict>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new BundleFault('The bundle takes too much memory to be checked.')
            : error,
        ),
      );
      thread.once('exit', () => reject(new Error('The thread that checks bundles ended without an answer.')));
    });
    if (fault !== undefined) throw new BundleFault(fault);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
