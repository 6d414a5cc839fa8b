import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Client } from 'minio';
import { consume } from '../consume';
import { ObjectTooLargeError, type PutOptions, type PutResult } from '../port';

const MEBIBYTE = 1_048_576;
/** The smallest part that S3 accepts before the last one. An upload holds two in memory. */
const LEAST_PART_BYTES = 5 * MEBIBYTE;
const MAX_PARTS = 10_000;

interface Part {
  readonly part: number;
  readonly etag: string;
}

export interface MultipartPutOptions extends PutOptions {
  readonly client: Client;
  readonly bucket: string;
  readonly key: string;
  /** Makes one call of the driver and translates its errors to those of the port. */
  readonly call: <T>(ask: () => Promise<T>) => Promise<T>;
}

/**
 * Sends the source in parts while it arrives: one is in flight while the next one is gathered. A source that fits in
 * one part takes one call. The object appears with the last call. A failure aborts the upload; if the abort fails too,
 * the sweep removes the parts. The source is destroyed on a failure.
 */
export async function multipartPut(source: Readable, options: MultipartPutOptions): Promise<PutResult> {
  const { client, bucket, key, call, maxBytes = Infinity } = options;
  const partBytes =
    maxBytes === Infinity ? LEAST_PART_BYTES : Math.max(LEAST_PART_BYTES, Math.ceil(maxBytes / MAX_PARTS));
  const hash = createHash('sha256');
  let size = 0;
  let uploadId: string | undefined;
  let sending: Promise<Part[]> = Promise.resolve([]);

  const send = async (body: Buffer): Promise<void> => {
    const sent = await sending;
    const uploadID = (uploadId ??= await call(() => client.initiateNewMultipartUpload(bucket, key, {})));
    const partNumber = sent.length + 1;
    const target = { bucketName: bucket, objectName: key, uploadID, partNumber, headers: {} };
    sending = call(async () => [...sent, await client.uploadPart(target, body)]);
    // The next `await` sees the rejection, which may be long after it happened.
    sending.catch(() => undefined);
  };

  try {
    await consume(source, async (chunks) => {
      let gathered: Uint8Array[] = [];
      let room = partBytes;
      for await (const chunk of chunks) {
        let bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        size += bytes.length;
        if (size > maxBytes) throw new ObjectTooLargeError(maxBytes);
        hash.update(bytes);
        for (; bytes.length >= room; room = partBytes) {
          gathered.push(bytes.subarray(0, room));
          bytes = bytes.subarray(room);
          await send(Buffer.concat(gathered.splice(0)));
        }
        if (bytes.length > 0) gathered.push(bytes);
        room -= bytes.length;
      }
      const rest = Buffer.concat(gathered);
      gathered = [];
      if (uploadId === undefined) {
        await call(() => client.putObject(bucket, key, rest));
        return;
      }
      if (rest.length > 0) await send(rest);
      const [id, parts] = [uploadId, await sending];
      await call(() => client.completeMultipartUpload(bucket, key, id, parts));
    });
  } catch (error) {
    // A part that arrives after the abort would stay.
    await sending.catch(() => undefined);
    const id = uploadId;
    if (id !== undefined) await call(() => client.abortMultipartUpload(bucket, key, id)).catch(() => undefined);
    throw error;
  }
  return { size, sha256: hash.digest('hex') };
}
