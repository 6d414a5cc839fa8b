import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { openFront, type Front } from './front';

const options = { host: '127.0.0.1', port: 0, metrics: () => Promise.resolve('up 1\n') };
const ready = () => Promise.resolve({ ready: true, parts: { services: {} } });

async function open(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<[Front, string]> {
  const front = await openFront({ ...options, planes: [{ prefixes: ['/api/'], handle }], readiness: ready });
  return [front, `http://127.0.0.1:${front.port}`];
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('the front of a process', () => {
  it('answers health and metrics itself, planes by prefix, and 404 in the envelope elsewhere', async () => {
    const [front, address] = await open((_request, response) => response.end('plane'));
    expect(await (await fetch(`${address}/api/x`)).text()).toBe('plane');
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${address}/health/ready`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(`${address}/metrics`)).text()).toBe('up 1\n');
    const unknown = await fetch(`${address}/nothing`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    await front.close(1_000);
  });

  it('says 503 while a part is not ready, and when asking it fails', async () => {
    const front = await openFront({ ...options, planes: [], readiness: () => Promise.reject(new Error('secret')) });
    const answer = await fetch(`http://127.0.0.1:${front.port}/health/ready`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain('secret');
    await front.close(1_000);
  });

  it('answers what is in flight when it closes, and takes nothing new', async () => {
    const { promise: taken, resolve: take } = deferred<ServerResponse>();
    const [front, address] = await open((_request, response) => {
      response.write('first ');
      take(response);
    });
    const answer = fetch(`${address}/api/slow`);
    const response = await taken;
    const closed = front.close(5_000);
    await expect(fetch(`${address}/health/live`)).rejects.toThrow();
    response.end('last');
    expect(await (await answer).text()).toBe('first last');
    await closed;
  });

  it('ends a connection at once that has carried a request and is idle', async () => {
    const [front] = await open((_request, response) => response.end());
    const idle = connect(front.port, '127.0.0.1');
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const ended = once(idle, 'close');
    await front.close(60_000);
    await ended;
  });

  it('waits for the first request of a connection that was opened before it closes', async () => {
    const [front] = await open((_request, response) => response.end('late'));
    const early = connect(front.port, '127.0.0.1');
    await once(early, 'connect');
    // The server has taken the connection once it has answered a later one.
    await fetch(`http://127.0.0.1:${front.port}/health/live`);
    const closed = front.close(60_000);
    early.write('GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(early, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  it('cuts a request that is silent, long before the grace ends', async () => {
    const { promise: taken, resolve: take } = deferred<IncomingMessage>();
    const [front] = await open((incoming) => {
      incoming.resume();
      take(incoming);
    });
    const silent = request({ port: front.port, host: '127.0.0.1', path: '/api/x', method: 'POST' });
    silent.on('error', () => undefined);
    silent.write('half');
    const cut = new Promise((resolve) => silent.once('close', resolve));
    await taken;
    await front.close(60_000);
    await cut;
  });
});
