import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, waitForEngine } from '@sluice/kernel';
import type { Client } from 'minio';
import { assertObjectKey, isKeySegment, splitKeyPrefix } from '../object-key';
import { ObjectNotFoundError, ObjectStoreUnavailableError, type ByteRange, type ObjectStore } from '../port';
import { multipartPut } from './multipart-put';
import { BUSY_CODE, s3Client, SKEWED_CODE } from './s3-client';
import { seenFrom, storeAddress, type StoreAddress } from './store-address';

export interface MinioObjectStoreOptions {
  /**
   * `minio://KEY:SECRET@host:9000/bucket`, `minios://…` or `s3://…`; `?region=` where it is not us-east-1,
   * `?session_token=` with temporary keys.
   */
  readonly url: string;
  /** The store's http or https address for those that presigned URLs are given to. Default: that of `url`. */
  readonly publicUrl?: string | undefined;
  /** How old an upload is that counts as abandoned. Default: a day, which no living one lasts. */
  readonly staleUploadMs?: number;
  /** A store that says nothing for so long while it is waited for counts as away. Default: 10 s. */
  readonly silentMs?: number;
  readonly logger?: Logger | undefined;
}

const SWEEP_EVERY_MS = 3_600_000;
const STALE_UPLOAD_MS = 86_400_000;
const SILENT_MS = 10_000;
/** Before each repeat of a call that a store was too busy for, at most. */
const BACKOFF_MS = [200, 600, 1_800];

/**
 * Objects in one bucket of MinIO or any other S3, which belongs to this store alone and is made when it
 * is not there. Parts of uploads whose process was killed go a day later, at a sweep that each process
 * makes at its start and every hour. Where the answer to the last call of a put is lost, the put fails
 * and the whole object may stand there all the same.
 * @throws ObjectStoreUnavailableError when the bucket can't be reached for ENGINE_PATIENCE_MS, or can't be used
 */
export async function openMinioObjectStore(options: MinioObjectStoreOptions): Promise<ObjectStore> {
  const address = storeAddress(options.url);
  const { bucket } = address;
  const { publicUrl, staleUploadMs = STALE_UPLOAD_MS, silentMs = SILENT_MS } = options;
  const s3 = await s3Client(address, silentMs);
  const { client } = s3;
  const signer = publicUrl === undefined ? client : (await s3Client(seenFrom(publicUrl, address), silentMs)).client;

  try {
    await makeBucket(client, address, options.logger);
  } catch (error) {
    s3.close();
    throw error;
  }
  const sweep = (): void => {
    sweepUploads(client, bucket, staleUploadMs).catch(() => undefined);
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_EVERY_MS).unref();

  /** HEAD tells no reason: only a bucket that is there can be without the object. */
  const describe = async (key: string) => {
    const facts = await call(() => client.statObject(bucket, key).catch(unlessMissing));
    if (facts === undefined) await requireBucket();
    return facts && { key, size: facts.size, modifiedAt: facts.lastModified };
  };
  const requireBucket = async () => {
    if (!(await call(() => client.bucketExists(bucket)))) throw refusal(`There is no bucket ${bucket}`);
  };

  return {
    async put(key, source, putOptions = {}) {
      assertObjectKey(key);
      return multipartPut(source, { ...putOptions, client, bucket, key, call });
    },

    async get(key, range) {
      assertObjectKey(key);
      const [offset, length] = range === undefined ? [0, 0] : offsetAndLength(range);
      try {
        return await again(() => client.getPartialObject(bucket, key, offset, length));
      } catch (error) {
        if (isMissing(error)) throw new ObjectNotFoundError(key);
        if (codeOf(error) === 'InvalidRange') throw new RangeError('The range begins behind the last byte.');
        throw unavailable(error);
      }
    },

    async stat(key) {
      assertObjectKey(key);
      return describe(key);
    },

    async delete(key) {
      assertObjectKey(key);
      if ((await describe(key)) === undefined) return false;
      await call(() => client.removeObject(bucket, key));
      return true;
    },

    async *list(prefix) {
      splitKeyPrefix(prefix);
      try {
        for await (const item of client.listObjects(bucket, prefix, true)) {
          const { name, size, lastModified } = item as { name: string; size: number; lastModified: Date };
          if (name.split('/').every(isKeySegment)) yield { key: name, size, modifiedAt: lastModified };
        }
      } catch (error) {
        throw unavailable(error);
      }
    },

    ping: requireBucket,

    async presign(key, { from, ttlSeconds, contentType, contentDisposition }) {
      assertObjectKey(key);
      const headers = { 'response-content-type': contentType, 'response-content-disposition': contentDisposition };
      return signer.presignedGetObject(bucket, key, ttlSeconds, headers, from);
    },

    close: () => {
      clearInterval(sweeping);
      s3.close();
      return Promise.resolve();
    },
  };
}

/** Waits for a store that is starting as well; one that refuses is not asked again. */
async function makeBucket(
  client: Client,
  { host, port, bucket, region }: StoreAddress,
  logger: Logger | undefined,
): Promise<void> {
  const wait = {
    engine: 'the object store',
    address: port === undefined ? host : `${host}:${port}`,
    logger,
    isFinal: isRefusal,
  };
  try {
    await waitForEngine(wait, async () => {
      if (await client.bucketExists(bucket)) return;
      await client.makeBucket(bucket, region).catch((error: unknown) => {
        // Another process was faster.
        if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error;
      });
    });
  } catch (error) {
    throw unavailable(error);
  }
}

/** Takes back what uploads left that nobody goes on with. */
async function sweepUploads(client: Client, bucket: string, staleAfterMs: number): Promise<void> {
  for (let marker = ''; ;) {
    const { uploads, isTruncated, nextKeyMarker } = await client.listIncompleteUploadsQuery(bucket, '', marker, '', '');
    for (const { key, uploadId, initiated } of uploads) {
      if (Date.now() - new Date(initiated).getTime() < staleAfterMs) continue;
      await client.abortMultipartUpload(bucket, key, uploadId).catch(unlessMissing);
    }
    if (!isTruncated) return;
    marker = nextKeyMarker;
  }
}

/** @throws RangeError */
function offsetAndLength({ start, end }: ByteRange): readonly [number, number] {
  if (Number.isSafeInteger(start) && start >= 0 && end >= start) return [start, end - start + 1];
  throw new RangeError(`Bytes ${start} to ${end} are no range.`);
}

async function call<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await again(ask);
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Once more at once where a connection that was kept had been closed by the server just when it was used
 * again; up to three times, later each time, where the store was too busy.
 */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await ask();
    } catch (error) {
      const code = codeOf(error);
      const lost = ['ECONNRESET', 'EPIPE'].includes(code) && repeats === 0;
      const backoff = code === BUSY_CODE ? BACKOFF_MS[repeats] : undefined;
      if (!lost && backoff === undefined) throw error;
      await delay((backoff ?? 0) * (0.5 + Math.random() / 2));
    }
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound', 'NoSuchUpload', 'XMinioParentIsObject'].includes(codeOf(error));
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

const REFUSALS = new Set([
  ...['AccessDenied', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'BucketAlreadyExists'],
  ...['ExpiredToken', 'InvalidToken', 'InvalidTokenId', SKEWED_CODE],
]);

/** Whether the server answered, and no wait would change its mind. */
function isRefusal(error: unknown): boolean {
  return REFUSALS.has(codeOf(error));
}

function refusal(reason: string): ObjectStoreUnavailableError {
  return new ObjectStoreUnavailableError(`The object store refuses. ${reason}.`);
}

/** Without the error itself: what a server tells of a request it refuses may hold the request's signature. */
function unavailable(error: unknown): ObjectStoreUnavailableError {
  if (error instanceof ObjectStoreUnavailableError) return error;
  const { message } = error as Error;
  const code = codeOf(error);
  return refusal([code, message.replace(/\.$/, '')].filter((text) => text !== '').join(': '));
}
