import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { DomainError, newUlid, ValidationError } from '@sluice/kernel';
import { ObjectTooLargeError, type ObjectStore, type PutResult } from '@sluice/object-store';
import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';

/** A form that arrived whole: its fields as sent and its file, which lies in the object store. */
export interface ReceivedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly file?: StoredFile;
}

export interface StoredFile extends PutResult {
  readonly key: string;
  /** Judged by the first bytes alone. */
  readonly looksLikeZip: boolean;
}

const LIMITS = { fields: 100, fieldNameSize: 100, fieldSize: 64 * 1024, files: 10, parts: 110, headerPairs: 50 };

/**
 * Streams a multipart form: the part `file` straight into one object, never whole into memory. The
 * object appears once the form is whole, however slowly the fields behind the file arrive. When it
 * rejects, nothing of the form is stored.
 *
 * @throws DomainError INVALID_MULTIPART, PAYLOAD_TOO_LARGE; the object store's errors
 */
export async function receiveForm(
  request: IncomingMessage,
  objects: ObjectStore,
  options: { readonly maxBytes: number },
): Promise<ReceivedForm> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  let storing: { key: string; file: Promise<StoredFile> } | undefined;
  const parts = new Set<Readable>();

  const parsed = new Promise<void>((resolve, reject) => {
    const parser = createParser(request);
    const fail = (error: Error): void => {
      request.unpipe(parser);
      for (const part of parts) part.destroy(error);
      reject(error);
    };
    parser.on('field', (name: string, value: string, _nameTruncated: boolean, valueTruncated: boolean) => {
      if (valueTruncated) fail(new ValidationError({ [name]: ['The field is longer than 65536 bytes.'] }));
      else fields[name] = value;
    });
    parser.on('file', (name: string, part: Readable) => {
      parts.add(part);
      part.once('close', () => parts.delete(part));
      part.on('error', () => part.resume());
      if (name !== 'file') {
        part.resume();
      } else if (storing !== undefined) {
        fail(new ValidationError({ file: ['Send one file, not several.'] }));
      } else {
        const key = `bundles/${newUlid()}.zip`;
        const file = store(objects, key, part, options.maxBytes, parsed);
        file.catch(fail);
        storing = { key, file };
      }
    });
    parser.on('partsLimit', () => fail(malformed('it has too many parts')));
    parser.on('fieldsLimit', () => fail(malformed('it has too many fields')));
    parser.on('filesLimit', () => fail(malformed('it has too many files')));
    parser.on('error', (error: unknown) => fail(malformed(error instanceof Error ? error.message : String(error))));
    parser.on('finish', resolve);
    request.once('error', (error) => fail(malformed(error.message)));
    request.once('close', () => {
      if (!request.complete) fail(malformed('the connection ended before the form did'));
    });
    request.pipe(parser);
  });

  try {
    await parsed;
    return storing === undefined ? { fields } : { fields, file: await storing.file };
  } catch (error) {
    if (storing !== undefined) {
      const { key, file } = storing;
      await file.then(
        () => objects.delete(key),
        () => undefined,
      );
    }
    if (error instanceof ObjectTooLargeError) {
      throw new DomainError('PAYLOAD_TOO_LARGE', `The file is larger than the ${options.maxBytes} bytes allowed.`, {
        max_bytes: options.maxBytes,
      });
    }
    throw error;
  }
}

function createParser(request: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({ headers: request.headers as BusboyHeaders, limits: LIMITS });
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error));
  }
}

async function store(
  objects: ObjectStore,
  key: string,
  part: Readable,
  maxBytes: number,
  formIsWhole: Promise<void>,
): Promise<StoredFile> {
  let head = Buffer.alloc(0);
  const sniff = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (head.length < 4) head = Buffer.concat([head, chunk.subarray(0, 4 - head.length)]);
      done(null, chunk);
    },
    flush: (done) => void formIsWhole.then(() => done(), done),
  });
  part.on('error', (error) => sniff.destroy(error));
  const result = await objects.put(key, part.pipe(sniff), { maxBytes });
  return { ...result, key, looksLikeZip: isZipHead(head) };
}

/** A local file header, or the end record of an archive without entries. */
function isZipHead(head: Buffer): boolean {
  return head.equals(Buffer.from('PK\x03\x04', 'latin1')) || head.equals(Buffer.from('PK\x05\x06', 'latin1'));
}

function malformed(reason: string): DomainError {
  return new DomainError('INVALID_MULTIPART', `The multipart form could not be read: ${reason}.`);
}
