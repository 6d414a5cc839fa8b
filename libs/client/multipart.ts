import { redirectText, SluiceError } from './sluice-error.js';
import { randomHex } from './random-hex.js';

/**
 * A Blob or File, or in Node anything of a known size that can be read: `{ size, stream: () => createReadStream(path) }`.
 * `stream` is called for each time that the request is sent.
 */
export interface UploadFile {
  /** Bytes. */
  readonly size: number;
  /** `bundle.zip` by default. */
  readonly name?: string;
  stream(): AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
}

/** A form with one file. In Node it is read while it is sent; in a page the browser does that. */
export type UploadForm = StreamedForm | FormData;

export interface StreamedForm {
  send(url: string, init: FormInit, onProgress: ((progress: Progress) => void) | undefined): Promise<Response>;
}

interface FormInit {
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | null;
}

export interface Progress {
  /** Bytes of the request body. */
  readonly loaded: number;
  readonly total: number;
}

/**
 * Without a window and with redirects as errors, Node's fetch may send a stream once; otherwise it keeps a second copy of
 * the whole body in memory.
 */
const STREAMED = { duplex: 'half', window: null, redirect: 'error' } as const;

/**
 * The fields go before the file, so that the server can reject by them before it has the file. One that is an object is
 * sent as JSON.
 * @throws TypeError in a page, for a file that is not a Blob
 */
export function multipart(
  fields: Readonly<Record<string, string | number | boolean | object | undefined>>,
  file: UploadFile,
): UploadForm {
  const inPage = 'XMLHttpRequest' in globalThis;
  if (inPage && !(file instanceof Blob)) throw new TypeError('In a page, the file must be a Blob or a File.');
  const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
  );
  const fileName = file.name ?? 'bundle.zip';
  if (inPage) {
    const form = new FormData();
    for (const [name, value] of given) form.append(name, value);
    form.append('file', file as Blob, fileName);
    return form;
  }
  const boundary = `sluice-${randomHex(16)}`;
  // As the server reads it, which takes the escapes of browsers literally.
  const quoted = fileName.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, encodeURIComponent);
  const head = new TextEncoder().encode(
    given
      .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('') +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\n` +
      'Content-Type: application/zip\r\n\r\n',
  );
  const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);

  /** `sent` receives the bytes of the body that were handed over so far. */
  async function* chunks(sent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    yield head;
    let read = 0;
    for await (const piece of file.stream() as AsyncIterable<Uint8Array>) {
      read += piece.length;
      if (read > file.size) break;
      yield piece;
      sent(head.length + read);
    }
    if (read !== file.size) {
      const message = `The file changed while it was uploaded. It had ${file.size} bytes.`;
      throw new SluiceError({ status: 0, code: 'FILE_CHANGED', message });
    }
    yield tail;
    sent(head.length + read + tail.length);
  }

  return {
    async send(url, { headers, ...init }, onProgress) {
      const total = head.length + file.size + tail.length;
      headers.set('content-type', `multipart/form-data; boundary=${boundary}`);
      headers.set('content-length', String(total));
      let failure: { readonly reason: unknown } | undefined;
      async function* body() {
        try {
          yield* chunks((loaded) => onProgress?.({ loaded, total }));
        } catch (reason) {
          failure = { reason };
          throw reason;
        }
      }
      try {
        const stream = body() as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
        return await fetch(url, { ...init, ...STREAMED, headers, body: stream });
      } catch (error) {
        if (failure !== undefined) throw failure.reason;
        if ((error as { cause?: Error }).cause?.message !== 'unexpected redirect') throw error;
        const message = redirectText('The server');
        throw new SluiceError({ status: 0, code: 'REDIRECTED', message, cause: error });
      }
    },
  };
}
