import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json, scriptedHttp, type Answer } from '../../test/support/scripted-http';
import { createDashboardClient, createManagementClient, createTransport, SluiceError } from './index';

const APP = { name: 'Shop', app_id: 'com.example.shop' };
const created = json(201, { data: { id: 1, ...APP } });
const limited = (seconds?: number) =>
  json(
    429,
    { error: { code: 'RATE_LIMITED', message: 'Too many requests.' } },
    seconds ? { 'retry-after': `${seconds}` } : {},
  );
const unavailable = json(503, { error: { code: 'SERVICE_UNAVAILABLE', message: 'Try again later.' } });
const disconnect: Answer = (response) => void response.destroy();

const server = scriptedHttp();
const client = (retries?: number) =>
  createManagementClient({
    server: `${server.address}/`,
    token: 'svc_pat_secret',
    ...(retries !== undefined && { retries }),
  });
const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

/** Of the client, in milliseconds: they take no time here. */
let pauses: number[];

beforeEach(() => {
  pauses = [];
  const { setTimeout } = globalThis;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms) => {
    pauses.push(ms ?? 0);
    return setTimeout(run, 0);
  });
});

afterEach(() => jest.restoreAllMocks());

async function errorOf(call: Promise<unknown>): Promise<SluiceError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof SluiceError)) throw new Error('No SluiceError was thrown.', { cause: thrown });
  return thrown;
}

describe('requests', () => {
  it('send the credential, the path, the query and the body', async () => {
    server.answer(json(200, { data: [], meta: { last_page: 1 } }));
    await client().get('/apps/{app}/builds', { path: { app: 'a/b' }, query: { channel: 'staging', page: 2 } });
    server.answer(created);
    expect(await client().post('/apps', { body: APP })).toEqual({ data: { id: 1, ...APP } });
    const [get, post] = server.received;
    expect(get).toMatchObject({
      line: 'GET /api/public/v1/apps/a%2Fb/builds?channel=staging&page=2',
      headers: { authorization: 'Bearer svc_pat_secret', accept: 'application/json' },
    });
    expect(post).toMatchObject({ line: 'POST /api/public/v1/apps', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(post!.body.toString())).toEqual(APP);
  });

  it('with a session send its header, and with an owner key the key', async () => {
    server.answer(json(200, { data: {} }));
    await createDashboardClient({ server: server.address }).delete('/session');
    await createDashboardClient({ server: server.address, ownerKey: 'svc_own_secret' }).get('/owner');
    const [session, owner] = server.received.map(({ headers }) => [headers['x-sluice-csrf'], headers.authorization]);
    expect([session, owner]).toEqual([
      ['1', undefined],
      [undefined, 'Bearer svc_own_secret'],
    ]);
  });

  it('return undefined for an empty response, and bytes unread', async () => {
    server.answer((response) => response.writeHead(204).end());
    expect(await createTransport({ base: server.address }).json('DELETE', '/')).toBeUndefined();
    server.answer((response) => response.writeHead(200).end('zip'));
    const response = await client().download('/apps/{app}/keystore/download', { path: { app: 1 } });
    expect(await response.text()).toBe('zip');
  });

  it.each([
    ['a token with a line break', () => createManagementClient({ server: server.address, token: 'svc_pat_\nsecret' })],
    ['a server without http', () => createManagementClient({ server: 'ftp://example.com', token: 'svc_pat_secret' })],
    ['a server with a password', () => createManagementClient({ server: 'https://a:secret@b.example', token: 'x' })],
  ])('are rejected for %s, without showing it', (_, create) => {
    expect(create).toThrow(TypeError);
    expect(create).not.toThrow(/secret/);
  });

  it('are rejected for a path without its parameter', async () => {
    await expect(client().get('/apps/{app}', { path: { app: '' } })).rejects.toThrow('path.app must be given');
    expect(server.received).toEqual([]);
  });
});

describe('errors', () => {
  it.each<[string, Answer, Partial<SluiceError>]>([
    [
      'an error of the server',
      json(403, { error: { code: 'FORBIDDEN', message: 'No.', details: { required_permission: 'manage' } } }),
      { status: 403, code: 'FORBIDDEN', message: 'No.', details: { required_permission: 'manage' }, fields: {} },
    ],
    [
      'invalid fields',
      json(422, { message: 'The request is invalid.', errors: { name: ['is required'] } }),
      { status: 422, code: 'VALIDATION_FAILED', message: 'The request is invalid.', fields: { name: ['is required'] } },
    ],
    [
      'an error of the listings plane',
      json(409, { success: false, message: 'Connect first.', data: { code: 'not_connected', shop: 1 } }),
      { status: 409, code: 'not_connected', message: 'Connect first.', details: { shop: 1 } },
    ],
    [
      'a page of a proxy',
      (response) => response.writeHead(404).end('<html>'),
      { status: 404, code: 'HTTP_404', message: expect.stringContaining('responded 404 without a reason') },
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      { status: 302, code: 'REDIRECTED', message: expect.stringContaining('redirects to https://elsewhere.example/') },
    ],
    [
      'a success that is not JSON',
      (response) => response.writeHead(200).end('<html>'),
      { status: 200, code: 'UNEXPECTED_RESPONSE' },
    ],
  ])('describe %s', async (_, answer, facts) => {
    server.answer(answer);
    const error = await errorOf(client().get('/token'));
    expect(error).toMatchObject({ name: 'SluiceError', ...facts });
    expect(error.response?.status).toBe(facts.status);
    expect(server.received).toHaveLength(1);
  });

  it('have the trace id that the server logs', async () => {
    server.answer(json(404, { error: { code: 'NOT_FOUND', message: 'No.' } }));
    const { requestId } = await errorOf(client().get('/token'));
    expect(requestId).toMatch(/^[0-9a-f]{32}$/);
    expect(server.received[0]!.headers.traceparent).toMatch(new RegExp(`^00-${requestId!}-[0-9a-f]{16}-00$`));
  });

  it('name the server that does not respond', async () => {
    await server.close();
    const error = await errorOf(client(0).get('/token'));
    expect(error).toMatchObject({ status: 0, code: 'UNREACHABLE', message: expect.stringContaining(server.address) });
    expect(error.cause).toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } });
  });
});

describe('retries', () => {
  it('send a GET again after no response, a limit and an outage, with growing pauses', async () => {
    server.answer(disconnect, limited(), unavailable, json(200, { data: { name: 'ci' } }));
    expect(await client().get('/token')).toEqual({ data: { name: 'ci' } });
    expect(server.received).toHaveLength(4);
    for (const [repeat, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(250 * 2 ** repeat);
      expect(pause).toBeLessThanOrEqual(500 * 2 ** repeat);
    }
  });

  it('send a GET again whose response breaks off', async () => {
    const cut: Answer = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      response.on('drain', () => undefined);
      setImmediate(() => response.destroy());
    };
    server.answer(cut, json(200, { data: {} }));
    expect(await client().get('/token')).toEqual({ data: {} });
  });

  it('wait for as long as Retry-After states, up to a minute', async () => {
    server.answer(limited(7), json(200, { data: {} }));
    await client().get('/token');
    expect(pauses).toEqual([7_000]);
    server.answer(limited(61));
    expect(await errorOf(client().get('/token'))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 61 });
    expect(server.received).toHaveLength(3);
  });

  it('end after as many as the caller allows', async () => {
    server.answer(unavailable);
    expect(await errorOf(client(2).get('/token'))).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(server.received).toHaveLength(3);
  });

  it('send a POST again with the key of the first, and another POST with another key', async () => {
    const busy = json(409, { error: { code: 'IDEMPOTENCY_IN_PROGRESS', message: 'Still running.' } });
    const failed = json(500, { error: { code: 'UPLOAD_FAILED', message: 'Failed.' } }, { 'retry-after': '1' });
    server.answer(disconnect, busy, failed, created, created);
    await client().post('/apps', { body: APP });
    await client().post('/apps', { body: APP });
    const [key, ...others] = keys();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(others.slice(0, 3)).toEqual([key, key, key]);
    expect(others[3]).not.toBe(key);
  });

  it('take the key of the caller', async () => {
    server.answer(disconnect, created);
    await client().post('/apps', { body: APP, header: { 'Idempotency-Key': 'mine' } });
    expect(keys()).toEqual(['mine', 'mine']);
  });

  it('never repeat a change that the server may have made', async () => {
    server.answer(unavailable);
    const path = { app: 1, build: 2 };
    await errorOf(client().patch('/apps/{app}/builds/{build}', { path, body: { release_notes: '' } }));
    await errorOf(client().delete('/apps/{app}', { path }));
    await errorOf(createDashboardClient({ server: server.address }).post('/session', { body: { owner_key: 'x' } }));
    expect(server.received).toHaveLength(3);
    expect(keys()).toEqual([undefined, undefined, undefined]);
  });

  it('end when the caller aborts', async () => {
    const stop = new AbortController();
    const reason = new Error('changed my mind');
    server.answer((response) => {
      unavailable(response);
      stop.abort(reason);
    });
    await expect(client().get('/token', { signal: stop.signal })).rejects.toBe(reason);
    expect(server.received).toHaveLength(1);
  });

  it('end in a pause when the caller aborts', async () => {
    const stop = new AbortController();
    jest
      .mocked(globalThis.setTimeout)
      .mockImplementation((() => queueMicrotask(() => stop.abort('enough'))) as unknown as typeof setTimeout);
    server.answer(unavailable);
    await expect(client().get('/token', { signal: stop.signal })).rejects.toBe('enough');
  });
});

describe('items', () => {
  it('come from every page, once each, with the query of the caller', async () => {
    const page = (...ids: number[]) => json(200, { data: ids.map((id) => ({ id })), meta: { last_page: 2 } });
    server.answer(page(1, 2), page(2, 3));
    const ids: number[] = [];
    for await (const { id } of client().items('/apps/{app}/builds', {
      path: { app: 1 },
      query: { channel: 'staging' },
    }))
      ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
    expect(server.received.map(({ line }) => line.split('?')[1])).toEqual([
      'per_page=50&channel=staging&page=1',
      'per_page=50&channel=staging&page=2',
    ]);
  });
});

describe('upload', () => {
  const call = { path: { app: 1 }, fields: { version: '1.0.0', channel: 'staging' } } as const;
  const accepted = json(202, { data: { job_id: 'j' } });

  it('sends fields before the file, and reports its progress to the end', async () => {
    const progress: { loaded: number; total: number }[] = [];
    server.answer(accepted);
    const file = new File(['the bundle'], 'a "b".zip');
    const sent = {
      ...call,
      fields: { ...call.fields, mandatory: true, metadata: { commit: '4f2a9c1' } },
      file,
      onProgress: (at: (typeof progress)[0]) => progress.push(at),
    };
    expect(await client().upload('/apps/{app}/builds', sent)).toEqual({ data: { job_id: 'j' } });
    const [{ headers, body }] = server.received as [(typeof server.received)[0]];
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type']!)![1]!;
    const [preamble, ...parts] = body.toString().split(`--${boundary}`);
    expect([preamble, parts.pop()]).toEqual(['', '--\r\n']);
    expect(parts).toEqual([
      '\r\nContent-Disposition: form-data; name="version"\r\n\r\n1.0.0\r\n',
      '\r\nContent-Disposition: form-data; name="channel"\r\n\r\nstaging\r\n',
      '\r\nContent-Disposition: form-data; name="mandatory"\r\n\r\ntrue\r\n',
      '\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"commit":"4f2a9c1"}\r\n',
      '\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".zip"\r\n' +
        'Content-Type: application/zip\r\n\r\nthe bundle\r\n',
    ]);
    expect(headers['content-length']).toBe(String(body.length));
    expect(progress.at(-1)).toEqual({ loaded: body.length, total: body.length });
    const counts = progress.map(({ loaded }) => loaded);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });

  it('sends what it has read before it reads the rest', async () => {
    let arrived: () => void;
    const firstBytes = new Promise<void>((resolve) => (arrived = resolve));
    server.handle((request: IncomingMessage, response) => {
      request.on('data', (bytes: Buffer) => {
        if (bytes.includes('first')) arrived();
      });
      void once(request, 'end').then(() => accepted(response));
    });
    async function* stream() {
      yield Buffer.from('first');
      await firstBytes;
      yield Buffer.from('second');
    }
    await client().upload('/apps/{app}/builds', { ...call, file: { size: 11, stream } });
  });

  it('reads the file again for each repeat, which has the same key', async () => {
    server.answer(disconnect, accepted);
    const stream = jest.fn(() => new Blob(['bundle']).stream());
    await client().upload('/apps/{app}/builds', { ...call, file: { size: 6, stream } });
    expect(stream).toHaveBeenCalledTimes(2);
    expect(server.received[1]!.body.toString()).toContain('bundle');
    expect(new Set(keys()).size).toBe(1);
  });

  it('ends at a redirect', async () => {
    server.answer((response) => response.writeHead(307, { location: 'https://elsewhere.example/' }).end());
    const error = await errorOf(client().upload('/apps/{app}/builds', { ...call, file: new Blob(['bundle']) }));
    expect(error).toMatchObject({ code: 'REDIRECTED', message: expect.stringContaining('not redirected') });
    expect(server.received).toHaveLength(1);
  });

  it('throws what reading the file threw', async () => {
    server.answer(accepted);
    const stream = () => createReadStream(join(server.folder, 'missing.zip'));
    const upload = client().upload('/apps/{app}/builds', { ...call, file: { size: 6, stream } });
    await expect(upload).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([[5], [7]])('stops when a file of %i bytes turns out to have 6', async (size) => {
    server.answer(accepted);
    const file = { size, stream: () => new Blob(['bundle']).stream() };
    const error = await errorOf(client().upload('/apps/{app}/builds', { ...call, file }));
    expect(error).toMatchObject({ status: 0, code: 'FILE_CHANGED' });
  });
});
