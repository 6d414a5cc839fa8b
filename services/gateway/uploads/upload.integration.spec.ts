import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { errorReply } from '@sluice/http';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { temporaryDirectory } from '@sluice/testing';
import { receiveForm } from './upload';

const MAX_BYTES = 1_000;
const MIB = 1024 ** 2;

let folder: string;
let objects: ObjectStore;
let server: Server;
let port: number;

beforeEach(async () => {
  folder = temporaryDirectory();
  objects = await openFilesystemObjectStore({ path: folder });
  server = createServer((request, response) => {
    receiveForm(request, objects, { maxBytes: MAX_BYTES, objectKey: 'a.zip' }).then(
      ({ fields, file }) => response.end(JSON.stringify({ fields, size: file?.size })),
      (error: unknown) => {
        const { status, body } = errorReply(error);
        response.writeHead(status).end(JSON.stringify(body));
      },
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ({ port } = server.address() as AddressInfo);
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

async function send(form: FormData) {
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: form });
  return { status: answer.status, body: await answer.json() };
}

const stored = async (): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};

describe('an upload form', () => {
  it('holds its file and its fields', async () => {
    const form = new FormData();
    form.set('version', '1.0.0');
    form.set('file', new Blob(['x'.repeat(MAX_BYTES)]), 'a.zip');
    expect(await send(form)).toEqual({ status: 200, body: { fields: { version: '1.0.0' }, size: MAX_BYTES } });
  });

  it('is rejected at the first file in another part than file, with nothing kept', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.zip');
    form.set('junk', new Blob(['x'.repeat(10 * MIB)]), 'b.zip');
    expect(await send(form)).toMatchObject({
      status: 422,
      body: { errors: { file: ['Send the file as the part file. Received: a file in the part junk.'] } },
    });
    expect(await stored()).toEqual([]);
  });

  it('is rejected when it has 1 MiB more than its file may have', async () => {
    const form = new FormData();
    for (let field = 0; field < 20; field += 1) form.set(`f${field}`, 'x'.repeat(64 * 1024 - 1));
    expect(await send(form)).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
  });

  it('is rejected when it has more than 32 fields', async () => {
    const form = new FormData();
    for (let field = 0; field < 33; field += 1) form.set(`f${field}`, 'x');
    expect(await send(form)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_MULTIPART' } } });
  });

  it('that was rejected is read no further than a client in good faith would send', async () => {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.resume();
    const closed = new Promise((resolve) => client.once('close', resolve));
    const part = `--b\r\nContent-Disposition: form-data; name="junk"; filename="x"\r\n\r\n`;
    client.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${1024 ** 4}\r\n\r\n${part}`,
    );
    const piece = Buffer.alloc(MIB);
    const flood = (): void => void client.write(piece, (error) => error ?? setImmediate(flood));
    flood();
    await closed;
    expect(client.bytesRead).toBeGreaterThan(0);
    expect(client.bytesWritten).toBeLessThan(256 * MIB);
  });
});
