import { readdir } from 'node:fs/promises';
import { DocumentStoreUnavailableError } from '@sluice/document-store';
import { errorReply } from '@sluice/http';
import { DomainError, newUlid, UnavailableError } from '@sluice/kernel';
import { PacketTooLargeError } from '@sluice/messaging';
import { ObjectStoreUnavailableError, type ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import fastify, { type FastifyInstance } from 'fastify';
import { ValidationError } from '@sluice/kernel';
import { temporaryDirectory, recordingLogger, type RecordingLogger } from '@sluice/testing';
import type { IdempotencyRecord } from '../idempotency/idempotency';
import { Uploads } from './uploads';

const refuse = (error: Error) => () => Promise.reject(error);

let folder: string;
let objects: ObjectStore;
let server: FastifyInstance;
let address: string;
let logger: RecordingLogger;
/** Of the last refusal. */
let message: string | undefined;
/** What an upload meets, in this order. */
let put: ObjectStore['put'];
let bind: () => Promise<void>;
let accept: (objectKey: string) => Promise<string>;

const stored = async (): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};

async function upload() {
  const form = new FormData();
  form.set('file', new Blob(['PK\x03\x04']), 'bundle.zip');
  const response = await fetch(address, { method: 'POST', body: form });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  message = error?.message;
  return [response.status, error?.code, response.headers.get('retry-after')];
}

beforeEach(async () => {
  folder = temporaryDirectory();
  objects = await openFilesystemObjectStore({ path: folder });
  put = (...given) => objects.put(...given);
  bind = () => Promise.resolve();
  accept = (objectKey) => Promise.resolve(objectKey);
  logger = recordingLogger();
  const uploads = new Uploads({ ...objects, put: (...given) => put(...given) }, logger);
  server = fastify();
  server.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
  server.post('/', async (request) => {
    request.access = { ownerId: 1, caller: { actor: 'token:1', commandId: 'c' } };
    request.confirmAccess = () => undefined;
    request.named = { bind: () => bind() } as unknown as IdempotencyRecord;
    const target = { maxBytes: 100, objectKey: `bundles/${newUlid()}.zip` };
    return uploads.take(request, target, {
      read: ({ file }) => {
        if (file === undefined) throw new ValidationError({ file: ['A file is required.'] });
        return { file };
      },
      accept: async ({ file }) => ({ objectKey: await accept(file.key) }),
    });
  });
  server.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = errorReply(error);
    void reply.status(status).headers(headers).send(body);
  });
  address = await server.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  await server.close();
  await objects.close();
});

it('keeps the file that an event names, and that alone', async () => {
  expect(await upload()).toEqual([200, undefined, null]);
  expect(await stored()).toHaveLength(1);
  accept = () => Promise.resolve('bundles/of-the-first.zip');
  expect(await upload()).toEqual([200, undefined, null]);
  expect(await stored()).toHaveLength(1);
});

describe('known to be neither stored nor queued is 500 UPLOAD_FAILED, and leaves nothing,', () => {
  it.each<[string, () => void, RegExp]>([
    [
      'when the object store is unavailable',
      () => (put = refuse(new ObjectStoreUnavailableError('away'))),
      /not be stored/,
    ],
    [
      'when its key can not be bound',
      () => (bind = refuse(new DocumentStoreUnavailableError('away'))),
      /received, but .* not be recorded/,
    ],
    [
      'when no process received the request',
      () => (accept = refuse(new UnavailableError('No process is running.', 1, 'no'))),
      /received, but .* not be recorded/,
    ],
  ])('%s', async (_, break_, said) => {
    break_();
    expect(await upload()).toEqual([500, 'UPLOAD_FAILED', '5']);
    expect(message).toMatch(said);
    expect(await stored()).toEqual([]);
    expect(logger.lines).toHaveLength(1);
  });
});

it.each<[string, Error, unknown[]]>([
  ['a refusal', new DomainError('VERSION_ALREADY_EXISTS', 'It is there.'), [409, 'VERSION_ALREADY_EXISTS', null]],
  ['a body that can not cross the bus', new PacketTooLargeError('x', 1), [413, 'PAYLOAD_TOO_LARGE', null]],
])('leaves nothing after %s', async (_, error, answer) => {
  accept = refuse(error);
  expect(await upload()).toEqual(answer);
  expect(await stored()).toEqual([]);
});

it.each<[string, Error, unknown[]]>([
  ['an outcome that is unknown', new UnavailableError('No answer.'), [503, 'SERVICE_UNAVAILABLE', '1']],
  ['a fault of the service', new DomainError('INTERNAL_ERROR', 'It broke.'), [500, 'INTERNAL_ERROR', null]],
])('keeps the file, which an event may name, after %s', async (_, error, answer) => {
  accept = refuse(error);
  expect(await upload()).toEqual(answer);
  expect(await stored()).toHaveLength(1);
});

it('answers a form that is refused before its file, which never ends, and leaves nothing', async () => {
  const part = (disposition: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: `${part('name="notes"', 'a\0b\r\n')}${part('name="file"; filename="b.zip"', 'PK\x03\x04')}`,
    signal: AbortSignal.timeout(10_000),
  });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: { notes: [expect.any(String)] } });
  expect(await stored()).toEqual([]);
});
