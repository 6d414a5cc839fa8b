import { createReadStream } from 'node:fs';
import { multipart, type UploadForm } from '@sluice/client';
import { unreadable } from './read-text';

/**
 * The form of an upload, which streams its file from the disk. `sent` receives the number of file bytes after each piece.
 * `name`: what the file is called there, `bundle.zip` by default.
 */
export function bundleForm(
  fields: Readonly<Record<string, string | undefined>>,
  file: { readonly path: string; readonly size: number; readonly name?: string },
  sent: (bytes: number) => void,
): UploadForm {
  async function* stream(): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      for await (const piece of createReadStream(file.path) as AsyncIterable<Buffer>) {
        yield piece;
        read += piece.length;
        sent(read);
      }
    } catch (error) {
      throw unreadable('bundle', error);
    }
  }
  const { size, name } = file;
  return multipart(fields, { size, stream, ...(name !== undefined && { name }) });
}
