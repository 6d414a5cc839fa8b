import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Failure } from './failure';
import type { MultipartBody } from './http-client';

/**
 * The upload's multipart body, streamed from the disk, its length known beforehand. Fields come
 * before the file, so that a server can refuse by them before it has the bytes. `sent` hears the
 * number of file bytes after each piece. `name`: what the file is called there, `bundle.zip` by default.
 */
export function bundleForm(
  fields: Readonly<Record<string, string | undefined>>,
  file: { readonly path: string; readonly size: number; readonly name?: string },
  sent: (bytes: number) => void,
): MultipartBody {
  const boundary = `sluice-${randomUUID()}`;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`],
  );
  const name = (file.name ?? 'bundle.zip').replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, encodeURIComponent);
  const fileHead =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
    'Content-Type: application/zip\r\n\r\n';
  const head = Buffer.from(parts.join('') + fileHead);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield head;
    let read = 0;
    for await (const piece of createReadStream(file.path) as AsyncIterable<Buffer>) {
      read += piece.length;
      if (read > file.size) break;
      yield piece;
      sent(read);
    }
    if (read !== file.size) {
      throw new Failure({ code: 'FILE_CHANGED', message: `${file.path} changed while it was uploaded.` });
    }
    yield tail;
  }

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: head.length + file.size + tail.length,
    chunks: chunks(),
  };
}
