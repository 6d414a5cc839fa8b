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
   * `minio://KEY:SECRET@host:9000/bucket`, `minios://…` or `s3://…`, with `?region=` unless it is us-east-1, and
   * `?session_token=` for temporary keys.
   */
  readonly url: string;
  /** The store's http or https address in presigned URLs. Default: that of `url`. */
  readonly publicUrl?: string | undefined;
  /** The age at which an upload counts as abandoned. Default: a day, far longer than any upload takes. */
  readonly staleUploadMs?: number;
  /** A call fails when the store sends nothing for this long. Default: 10 s. */
  readonly silentMs?: number;
  readonly logger?: Logger | undefined;
}

const SWEEP_EVERY_MS = 3_600_000;
const STALE_UPLOAD_MS = 86_400_000;
const SILENT_MS = 10_000;
/** The longest wait before each retry of a call that failed because the store was busy. */
const BACKOFF_MS = [200, 600, 1_800];

/**
 * Stores objects in one bucket of MinIO or another S3 server. The bucket belongs to this store alone and is created if
 * missing. Each process sweeps abandoned uploads at its start and every hour, which removes the parts of uploads whose
 * process was killed at least a day ago. When the response to the last call of a put is lost, the put fails although
 * the complete object may exist.
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

  /** A HEAD response has no error code, so a missing bucket looks like a missing object. */
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
        if (codeOf(error) === 'InvalidRange')
          throw new RangeError('The range starts after the last byte of the object.');
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

/** Waits for a store that is still starting. Does not retry after a rejection. */
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
        // Another process created it first.
        if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error;
      });
    });
  } catch (error) {
    throw unavailable(error);
  }
}

/** Aborts abandoned uploads, which removes their parts. */
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
  throw new RangeError(`Bytes ${start} to ${end} are not a valid range.`);
}

async function call<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await again(ask);
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Retries once, immediately, when the server had closed a kept-alive connection just as it was used again. Retries up
 * to three times, with back-off, when the store was too busy.
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

/** Whether the server rejected the call for a reason that a retry does not change. */
function isRefusal(error: unknown): boolean {
  return REFUSALS.has(codeOf(error));
}

function refusal(reason: string): ObjectStoreUnavailableError {
  return new ObjectStoreUnavailableError(`The object store failed. ${reason}.`);
}

/** Has no `cause`, because a server's rejection may contain the signature of the request. */
function unavailable(error: unknown): ObjectStoreUnavailableError {
  if (error instanceof ObjectStoreUnavailableError) return error;
  const { message } = error as Error;
  const code = codeOf(error);
  return refusal([code, message.replace(/\.$/, '')].filter((text) => text !== '').join(': '));
}
