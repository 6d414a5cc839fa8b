import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { refuseUnstorable } from '@sluice/http';
import { DomainError, ValidationError } from '@sluice/kernel';
import { ObjectTooLargeError, type ObjectStore, type PutResult, sealedSize, sealing } from '@sluice/object-store';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';

/** A form that arrived whole: its fields as sent and its file, which lies in the object store. */
export interface ReceivedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly file?: StoredFile;
}

/** Size and hash are those of the file as it was sent. */
export interface StoredFile extends PutResult {
  readonly key: string;
  /** As it was sent, without path parts; may be empty. */
  readonly name: string;
  /** Judged by the first bytes alone. */
  readonly looksLikeZip: boolean;
}

export interface FormOptions {
  /** Of the file as it is sent. */
  readonly maxBytes: number;
  /** What a larger file is rejected with. Default: PAYLOAD_TOO_LARGE. */
  readonly tooLarge?: DomainError | undefined;
  /** Where the file goes. */
  readonly objectKey: string;
  /** With it, the file is stored sealed: 32 bytes for this object alone. */
  readonly dataKey?: Buffer;
}

const LIMITS = { fields: 32, fieldNameSize: 100, fieldSize: 64 * 1024, files: 2, parts: 34, headerPairs: 50 };

/** How many bytes a form may have in addition to its file. */
export const FORM_BYTES = 1024 ** 2;
/** So much more than a form may have of a refused one is still read; a client that sends more is cut off. */
const DRAINED_BYTES = 64 * 1024 ** 2;

/**
 * Streams a multipart form: the part `file` straight into one object, never whole into memory. The
 * object appears once the form is whole, however slowly the fields behind the file arrive. When it
 * rejects, nothing of the form is stored, and what still comes of it is read to nowhere.
 *
 * @throws DomainError INVALID_MULTIPART, PAYLOAD_TOO_LARGE; the object store's errors
 */
export async function receiveForm(
  request: IncomingMessage,
  objects: ObjectStore,
  options: FormOptions,
): Promise<ReceivedForm> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  let storing: Promise<StoredFile> | undefined;
  const parts = new Set<Readable>();

  if (request.destroyed) throw malformed('the connection ended before the form did');
  const parsed = new Promise<void>((resolve, reject) => {
    const parser = createParser(request);
    let refused = false;
    const fail = (error: Error): void => {
      request.unpipe(parser);
      if (!refused) drain(request, options.maxBytes + DRAINED_BYTES);
      refused = true;
      for (const part of parts) part.destroy(error);
      reject(error);
    };
    const storable = (field: object): boolean => {
      try {
        refuseUnstorable(field);
        return true;
      } catch (refusal) {
        fail(refusal as Error);
        return false;
      }
    };
    parser.on('field', (name: string, value: string, _nameTruncated: boolean, valueTruncated: boolean) => {
      if (valueTruncated) fail(new ValidationError({ [name]: ['The field is longer than 65536 bytes.'] }));
      else if (storable({ [name]: value })) fields[name] = value;
    });
    parser.on('file', (name: string, part: Readable, fileName: string | undefined) => {
      parts.add(part);
      part.once('close', () => parts.delete(part));
      part.on('error', () => part.resume());
      if (refused) {
        // Of bytes that the parser had before it was refused: no more come, and the part would never end.
        part.resume();
      } else if (name !== 'file') {
        fail(new ValidationError({ file: [`Send the file as the part file. Received: a file in the part ${name}.`] }));
      } else if (storing !== undefined) {
        fail(new ValidationError({ file: ['Send one file, not several.'] }));
      } else if (storable({ file: fileName ?? '' })) {
        storing = store(objects, { ...options, part, name: fileName ?? '', formIsWhole: parsed });
        storing.catch(fail);
      }
    });
    parser.on('partsLimit', () => fail(malformed('it has too many parts')));
    parser.on('fieldsLimit', () => fail(malformed('it has too many fields')));
    parser.on('filesLimit', () => fail(malformed('it has too many files')));
    parser.on('error', (error: unknown) => fail(malformed(error instanceof Error ? error.message : String(error))));
    parser.on('finish', resolve);
    let left = options.maxBytes + FORM_BYTES;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0 && !refused) fail(tooLarge(options));
    });
    request.once('error', (error) => fail(malformed(error.message)));
    request.once('close', () => {
      if (!request.complete) fail(malformed('the connection ended before the form did'));
    });
    request.pipe(parser);
  });

  try {
    await parsed;
    return storing === undefined ? { fields } : { fields, file: await storing };
  } catch (error) {
    if (storing !== undefined) {
      await storing.then(
        ({ key }) => objects.delete(key),
        () => undefined,
      );
    }
    throw error instanceof ObjectTooLargeError ? tooLarge(options) : error;
  }
}

function tooLarge({ maxBytes, tooLarge: refusal }: FormOptions): DomainError {
  const message = `The file is larger than the ${maxBytes} bytes allowed.`;
  return refusal ?? new DomainError('PAYLOAD_TOO_LARGE', message, { max_bytes: maxBytes });
}

/** Reads on to nowhere: a client that sends everything before it reads would never see the refusal. */
function drain(request: IncomingMessage, bytes: number): void {
  let left = bytes;
  request
    .on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) request.destroy();
    })
    .resume();
}

function createParser(request: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({ headers: request.headers as BusboyHeaders, limits: LIMITS });
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error));
  }
}

interface ArrivingFile extends FormOptions {
  readonly part: Readable;
  readonly name: string;
  readonly formIsWhole: Promise<void>;
}

async function store(
  objects: ObjectStore,
  { part, name, objectKey, maxBytes, dataKey, formIsWhole }: ArrivingFile,
): Promise<StoredFile> {
  let head = Buffer.alloc(0);
  let size = 0;
  // The object store computes the hash of bytes that are stored as they were sent.
  const hash = dataKey && createHash('sha256');
  const look = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (head.length < 4) head = Buffer.concat([head, chunk.subarray(0, 4 - head.length)]);
      size += chunk.length;
      hash?.update(chunk);
      done(null, chunk);
    },
    flush: (done) => void formIsWhole.then(() => done(), done),
  });
  part.on('error', (error) => look.destroy(error));
  // An unavailable store may reject before it has read the bytes. Then this is the only listener of their error.
  look.on('error', () => undefined);
  part.pipe(look);
  if (hash === undefined || dataKey === undefined) {
    const stored = await objects.put(objectKey, look, { maxBytes });
    return { ...stored, key: objectKey, name, looksLikeZip: isZipHead(head) };
  }
  const sealed = sealing({ key: dataKey, boundTo: objectKey });
  look.on('error', (error) => sealed.destroy(error));
  sealed.on('error', () => undefined);
  await objects.put(objectKey, look.pipe(sealed), { maxBytes: sealedSize(maxBytes) });
  return { size, sha256: hash.digest('hex'), key: objectKey, name, looksLikeZip: isZipHead(head) };
}

/** A local file header, or the end record of an archive without entries. */
function isZipHead(head: Buffer): boolean {
  return head.equals(Buffer.from('PK\x03\x04', 'latin1')) || head.equals(Buffer.from('PK\x05\x06', 'latin1'));
}

function malformed(reason: string): DomainError {
  return new DomainError('INVALID_MULTIPART', `The multipart form could not be read: ${reason}.`);
}
