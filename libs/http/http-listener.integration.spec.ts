import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { DomainError } from '@sluice/kernel';
import { openHttpListener, type HttpListener } from './http-listener';
import { turnOf } from './response-turn';

const options = { host: '127.0.0.1', port: 0, metrics: () => Promise.resolve('up 1\n') };
const ready = () => ({ ready: true, parts: { services: {} } });

async function open(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<[HttpListener, string]> {
  const httpListener = await openHttpListener({
    ...options,
    planes: [{ prefixes: ['/api/'], handle }],
    readiness: ready,
  });
  return [httpListener, `http://127.0.0.1:${httpListener.port}`];
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('the HTTP listener of a process', () => {
  it('answers health and metrics itself, planes by prefix, and 404 in the envelope elsewhere', async () => {
    const [httpListener, address] = await open((_request, response) => response.end('plane'));
    expect(await (await fetch(`${address}/api/x`)).text()).toBe('plane');
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${address}/health/ready`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(`${address}/metrics`)).text()).toBe('up 1\n');
    const unknown = await fetch(`${address}/nothing`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    await httpListener.close(1_000);
  });

  it('serves a part of a plane at the root of hosts that it names', async () => {
    const urls: string[] = [];
    const plane = {
      prefixes: ['/compat/', '/api/v1/'],
      hosts: new Map([['ota.example.com', '/compat/expo/key']]),
      handle: ({ url = '' }: IncomingMessage, response: ServerResponse) => {
        urls.push(url);
        response.end();
      },
    };
    const others = { prefixes: ['/'], handle: (_request: IncomingMessage, response: ServerResponse) => response.end() };
    const httpListener = await openHttpListener({ ...options, planes: [plane, others], readiness: ready });
    const ask = async (path: string, host: string) => {
      const asked = request({ port: httpListener.port, host: '127.0.0.1', path, headers: { host } });
      const [response] = (await once(asked.end(), 'response')) as [IncomingMessage];
      return [response.statusCode, await text(response)];
    };
    for (const host of ['ota.example.com', 'OTA.example.com:8443', 'ota.example.com.']) await ask('/', host);
    for (const path of ['/?a=1', '/x/y?z=/', '/api/public/v1/apps', 'http://ota.example.com/x', '//x']) {
      await ask(path, 'ota.example.com');
    }
    for (const path of ['/compat/capgo/other/updates', '/api/v1/bundles/1']) await ask(path, 'ota.example.com');
    expect(urls).toEqual([
      ...Array<string>(3).fill('/compat/expo/key'),
      ...['?a=1', '/x/y?z=/', '/api/public/v1/apps', '/x', '//x'].map((path) => `/compat/expo/key${path}`),
      ...['/compat/capgo/other/updates', '/api/v1/bundles/1'],
    ]);
    for (const host of ['example.com', 'my-ota.example.com', '']) await ask('/x', host);
    expect(urls).toHaveLength(10);
    expect(await ask('/health/live', 'ota.example.com')).toEqual([200, '{"status":"ok"}']);
    await httpListener.close(1_000);
  });

  it('answers GET and HEAD of health and metrics, and 404 in the envelope to other methods', async () => {
    const [httpListener, address] = await open((_request, response) => response.end('plane'));
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const head = await fetch(address + path, { method: 'HEAD' });
      expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-store', '']);
      for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) {
        const other = await fetch(address + path, { method });
        expect([method, other.status, await other.json()]).toEqual([
          method,
          404,
          { error: { code: 'NOT_FOUND', message: 'There is nothing at this address.' } },
        ]);
      }
    }
    await httpListener.close(1_000);
  });

  it.each([
    ['headers that are too large', `X-Flood: ${'x'.repeat(20_000)}\r\nHost: x\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    [
      'headers that are too large, behind another request',
      `X-Flood: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a body that is too slow', 'Host: x\r\nContent-Length: 9\r\n\r\nx', 408, 'REQUEST_TIMEOUT'],
    ['no host', '\r\n', 400, 'INVALID_REQUEST'],
  ])("answers %s in the plane's own envelope", async (what, rest, status, code) => {
    const handle = (incoming: IncomingMessage, response: ServerResponse) => {
      incoming.resume().once('end', () => response.end());
    };
    const envelope = (url: string, refusal: DomainError) => ({ success: false, url, code: refusal.code });
    const planes = [
      { prefixes: ['/store/'], handle, envelope },
      { prefixes: ['/'], handle },
    ];
    const httpListener = await openHttpListener({ ...options, planes, readiness: ready, slowAfterMs: 200 });
    const answerAt = async (path: string) => {
      const client = connect(httpListener.port, '127.0.0.1');
      const before = what.includes('behind') ? 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n' : '';
      client.write(`${before}POST ${path} HTTP/1.1\r\n${rest}`);
      const answer = await text(client);
      expect(answer).toContain(`HTTP/1.1 ${status} `);
      expect(answer).toMatch(/\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n[^]*$/);
      return JSON.parse(answer.split('\r\n\r\n').at(-1)!) as unknown;
    };
    expect(await answerAt('/store/x')).toEqual({ success: false, url: '/store/x', code });
    expect(await answerAt('/elsewhere')).toMatchObject({ error: { code } });
    await httpListener.close(1_000);
  });

  it.each(['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via', 'X-Forwarded-Host'])(
    'keeps its metrics from callers behind a proxy that adds %s',
    async (name) => {
      const [httpListener, address] = await open((_request, response) => response.end('plane'));
      const answer = await fetch(`${address}/metrics`, { headers: { [name]: '192.0.2.1' } });
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('NOT_FOUND') as string]);
      await httpListener.close(1_000);
    },
  );

  it('has no metrics where they have a listener of their own', async () => {
    const httpListener = await openHttpListener({ ...options, metrics: undefined, planes: [], readiness: ready });
    expect((await fetch(`http://127.0.0.1:${httpListener.port}/metrics`)).status).toBe(404);
    await httpListener.close(1_000);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  (outside === undefined ? it.skip : it)('keeps its metrics from other machines', async () => {
    const httpListener = await openHttpListener({ ...options, host: '0.0.0.0', planes: [], readiness: ready });
    expect((await fetch(`http://${outside}:${httpListener.port}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${httpListener.port}/metrics`)).status).toBe(200);
    await httpListener.close(1_000);
  });

  it('says 503 while a part is not ready, and when asking it fails', async () => {
    const httpListener = await openHttpListener({
      ...options,
      planes: [],
      readiness: () => {
        throw new Error('secret');
      },
    });
    const answer = await fetch(`http://127.0.0.1:${httpListener.port}/health/ready`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain('secret');
    await httpListener.close(1_000);
  });

  it('is ready though something is missing, and says so', async () => {
    const parts = { engines_away: [{ engine: 'bus' }] };
    const readiness = () => ({ ready: true, degraded: true, parts });
    const httpListener = await openHttpListener({ ...options, planes: [], readiness });
    const answer = await fetch(`http://127.0.0.1:${httpListener.port}/health/ready`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'degraded', ...parts }]);
    await httpListener.close(1_000);
  });

  it('that is to listen later takes no connection before, and can be closed', async () => {
    const handle = (_request: IncomingMessage, response: ServerResponse) => void response.end('plane');
    const later = { ...options, planes: [{ prefixes: ['/api/'], handle }], readiness: ready, listenLater: true };
    await (await openHttpListener(later)).close(1_000);
    const taken = await openHttpListener({ ...later, listenLater: false });
    const httpListener = await openHttpListener({ ...later, port: taken.port });
    await expect(httpListener.listen()).rejects.toThrow('EADDRINUSE');
    await taken.close(1_000);
    await httpListener.listen();
    expect(await (await fetch(`http://127.0.0.1:${httpListener.port}/api/x`)).text()).toBe('plane');
    await httpListener.close(1_000);
  });

  it.each([
    ['the server in front of the address', 'GET http://updates.example.com/api/x?y HTTP/1.1', '/api/x?y'],
    ['no path behind the server', 'GET http://updates.example.com HTTP/1.1', undefined],
    ['an expectation of its own', 'GET /api/x HTTP/1.1\r\nExpect: wonders', '/api/x'],
  ])('gives a plane what names %s', async (_, head, seen) => {
    const [httpListener] = await open((incoming, response) => response.end(`saw ${incoming.url}`));
    const client = connect(httpListener.port, '127.0.0.1');
    client.write(`${head}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(await text(client)).toContain(seen === undefined ? '"NOT_FOUND"' : `saw ${seen}`);
    await httpListener.close(1_000);
  });

  describe('whose answer ends the connection before the request has come to its end', () => {
    const refuse = (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(413, { Connection: 'close' }).end('too large');
    };
    const head = (length: number) => `POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

    it('sends its response to a client that writes everything before it reads', async () => {
      const [httpListener] = await open(refuse);
      const body = Buffer.alloc(32 * 1024 * 1024);
      const client = connect(httpListener.port, '127.0.0.1');
      client.write(head(body.length));
      await new Promise<void>((written, failed) => client.write(body, (error) => (error ? failed(error) : written())));
      expect(await text(client)).toMatch(/^HTTP\/1\.1 413 [^]*too large/);
      await httpListener.close(1_000);
    });

    it.each([
      ['ends', { Connection: 'close' }],
      ['would stay', {}],
    ])('cuts off one that sends more than is read behind an answer, where its connection %s', async (_, headers) => {
      let read = (): number => 0;
      const httpListener = await openHttpListener({
        ...options,
        planes: [
          {
            prefixes: ['/api/'],
            handle: ({ socket }, response) => {
              read = () => socket.bytesRead;
              response.writeHead(401, headers).end('unknown');
            },
          },
        ],
        readiness: ready,
        lingerBytes: 1024 ** 2,
      });
      const client = connect({ port: httpListener.port, host: '127.0.0.1', allowHalfOpen: true }).on(
        'error',
        () => undefined,
      );
      client.resume().write(head(1024 ** 4));
      const closed = new Promise((resolve) => client.once('close', resolve));
      const part = Buffer.alloc(64 * 1024);
      const flood = (): void => void client.write(part, (error) => error ?? setImmediate(flood));
      flood();
      await closed;
      expect(read()).toBeLessThan(2 * 1024 ** 2);
      await httpListener.close(1_000);
    });

    it('does not wait forever for one that never ends', async () => {
      const httpListener = await openHttpListener({
        ...options,
        planes: [{ prefixes: ['/api/'], handle: refuse }],
        readiness: ready,
        lingerMs: 300,
      });
      const client = connect({ port: httpListener.port, host: '127.0.0.1', allowHalfOpen: true }).on(
        'error',
        () => undefined,
      );
      client.write(head(100));
      let heard = '';
      client.on('data', (chunk: Buffer) => (heard += chunk.toString()));
      await once(client, 'end');
      expect(heard).toMatch(/^HTTP\/1\.1 413 [^]*too large/);
      const trickle = setInterval(() => client.write('x'), 20);
      // A write may meet the end first.
      await new Promise((closed) => client.once('close', closed));
      clearInterval(trickle);
      await httpListener.close(1_000);
    });
  });

  describe('with pipelined requests', () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

    it('hands on nothing that comes behind the last response of its connection', async () => {
      const handled: string[] = [];
      const [httpListener] = await open(({ url = '' }, response) => {
        handled.push(url);
        if (url === '/api/last') response.writeHead(400, { Connection: 'close' }).end();
      });
      const client = connect({ port: httpListener.port, host: '127.0.0.1', allowHalfOpen: true });
      const head = (url: string, ...lines: string[]) =>
        [`POST ${url} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
      client.write(`${head('/api/last')}${head('/api/waits')}${head('/api/comes', 'Content-Length: 4')}12`);
      const [answer] = (await once(client, 'data')) as [Buffer];
      expect(answer.toString()).toContain('HTTP/1.1 400 ');
      client.end(`34${head('/api/late')}`);
      await httpListener.close(1_000);
      expect(handled).toEqual(['/api/last', '/api/waits', '/api/comes']);
    });

    it('closes the responses that wait behind another when their connection ends', async () => {
      const closed: string[] = [];
      const all = deferred<undefined>();
      const taken = deferred<undefined>();
      const responses: ServerResponse[] = [];
      const [httpListener] = await open((incoming, response) => {
        responses.push(response);
        response.once('close', () => closed.push(incoming.url!) === 3 && all.resolve(undefined));
        if (incoming.url === '/api/ended') response.end('ended before its turn');
        if (responses.length === 3) taken.resolve(undefined);
      });
      const client = connect(httpListener.port, '127.0.0.1');
      client.write(get('/api/first') + get('/api/ended') + get('/api/waiting'));
      await taken.promise;
      client.resetAndDestroy();
      await all.promise;
      expect(closed.sort()).toEqual(['/api/ended', '/api/first', '/api/waiting']);
      // As a stream sees it that is piped into it only now.
      const [, , waiting] = responses;
      await expect(finished(waiting!)).rejects.toThrow('Premature close');
      await httpListener.close(1_000);
    });

    it('writes its word on malformed bytes behind the responses that are awaited', async () => {
      for (const requests of [get('/api/large'), get('/api/first') + get('/api/large')]) {
        const begun = deferred<ServerResponse>();
        const [httpListener] = await open((incoming, response) => {
          if (incoming.url === '/api/first') setImmediate(() => response.end('first'));
          else response.writeHead(200, { 'Content-Length': 20 }).write('x'.repeat(10), () => begun.resolve(response));
        });
        const client = connect(httpListener.port, '127.0.0.1');
        const received = text(client);
        client.write(requests);
        const response = await begun.promise;
        client.write('no request\r\n\r\n');
        await new Promise((resolve) => setTimeout(resolve, 20));
        response.end('x'.repeat(10));
        expect(await received).toMatch(/\r\n\r\nx{20}HTTP\/1\.1 400 /);
        await httpListener.close(1_000);
      }
    });

    it('hands a response its connection in its turn, and reports one whose connection has ended', async () => {
      const { promise: taken, resolve: take } = deferred<ServerResponse>();
      const turns: [string, Promise<boolean>][] = [];
      const [httpListener] = await open((incoming, response) => {
        turns.push([incoming.url!, turnOf(response)]);
        if (incoming.url === '/api/third') take(response);
        if (incoming.url === '/api/first') setImmediate(() => response.end('first'));
      });
      const client = connect(httpListener.port, '127.0.0.1');
      client.write(get('/api/first') + get('/api/second') + get('/api/third'));
      const third = await taken;
      const [first, second, last] = turns.map(([, turn]) => turn);
      expect([await first, await second]).toEqual([true, true]);
      client.resetAndDestroy();
      expect(await last).toBe(false);
      expect(await turnOf(third)).toBe(false);
      await httpListener.close(1_000);
    });
  });

  it('answers a client that has ended its half of the connection, then ends the other', async () => {
    const [httpListener] = await open((incoming, response) => {
      setTimeout(() => response.end(`saw ${incoming.url}`), incoming.url === '/api/slow' ? 100 : 0);
    });
    const client = connect({ port: httpListener.port, host: '127.0.0.1', allowHalfOpen: true });
    client.end('GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\nGET /api/x HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(client)).toMatch(/saw \/api\/slow[^]*saw \/api\/x$/);
    await httpListener.close(1_000);
  });

  it('ends a half-open connection on which no byte moves', async () => {
    const planes = [{ prefixes: ['/api/'], handle: () => undefined }];
    const httpListener = await openHttpListener({ ...options, planes, readiness: ready, silentAfterMs: 200 });
    const client = connect({ port: httpListener.port, host: '127.0.0.1', allowHalfOpen: true }).on(
      'error',
      () => undefined,
    );
    client.end('GET /api/mute HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((closed) => client.resume().once('close', closed));
    await httpListener.close(1_000);
  });

  it('answers what is in flight when it closes, and takes nothing new', async () => {
    const { promise: taken, resolve: take } = deferred<ServerResponse>();
    const [httpListener, address] = await open((_request, response) => {
      response.write('first ');
      take(response);
    });
    const answer = fetch(`${address}/api/slow`);
    const response = await taken;
    const closed = httpListener.close(5_000);
    await expect(fetch(`${address}/health/live`)).rejects.toThrow();
    response.end('last');
    expect(await (await answer).text()).toBe('first last');
    await closed;
  });

  it('responds to a request on an open connection with `Connection: close` while it closes', async () => {
    const { promise: taken, resolve: take } = deferred<ServerResponse>();
    const [httpListener] = await open((incoming, response) => {
      if (incoming.url === '/api/slow') take(response);
      else response.end('late');
    });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const [idle, busy] = [connect(httpListener.port, '127.0.0.1'), connect(httpListener.port, '127.0.0.1')];
    idle.write(get('/health/live'));
    await once(idle, 'data');
    busy.write(get('/api/slow'));
    const response = await taken;

    const closed = httpListener.close(60_000);
    // Whose headers were on their way when it began to close.
    response.end('slow');
    await once(busy, 'data');
    const heard = [idle, busy].map((client) => text(client));
    for (const client of [idle, busy]) client.write(get('/api/x'));
    for (const answer of heard) expect(await answer).toMatch(/\nConnection: close\r\n[^]*late/);
    await closed;
  });

  it('ends a connection that has carried a request and stays idle', async () => {
    const [httpListener] = await open((_request, response) => response.end());
    const idle = connect(httpListener.port, '127.0.0.1');
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const ended = once(idle, 'close');
    await httpListener.close(60_000);
    await ended;
  });

  it('waits for the first request of a connection that was opened before it closes', async () => {
    const [httpListener] = await open((_request, response) => response.end('late'));
    const early = connect(httpListener.port, '127.0.0.1');
    await once(early, 'connect');
    // The server has taken the connection once it has answered a later one.
    await fetch(`http://127.0.0.1:${httpListener.port}/health/live`);
    const closed = httpListener.close(60_000);
    early.write('GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(early, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  it('cuts a request that is silent, long before the grace ends', async () => {
    const { promise: taken, resolve: take } = deferred<IncomingMessage>();
    const [httpListener] = await open((incoming) => {
      incoming.resume();
      take(incoming);
    });
    const silent = request({ port: httpListener.port, host: '127.0.0.1', path: '/api/x', method: 'POST' });
    silent.on('error', () => undefined);
    silent.write('half');
    const cut = new Promise((resolve) => silent.once('close', resolve));
    await taken;
    await httpListener.close(60_000);
    await cut;
  });

  describe('slow clients', () => {
    const post = 'POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n';
    const openImpatient = (handle: (request: IncomingMessage, response: ServerResponse) => void, slowAfterMs = 200) =>
      openHttpListener({ ...options, planes: [{ prefixes: ['/api/'], handle }], readiness: ready, slowAfterMs });

    it.each([
      ['never sends a byte', ''],
      ['stops within its headers', 'GET /api/x HTTP/1.1\r\nHost: x\r\nX-Half: '],
      ['stops within its body', `${post}half`],
    ])('answers one that %s with 408, and ends its connection', async (_, sent) => {
      const { promise: failed, resolve: fail } = deferred<unknown>();
      const httpListener = await openImpatient((incoming) => {
        incoming.resume();
        incoming.once('close', () => fail(undefined));
      });
      const slow = connect(httpListener.port, '127.0.0.1');
      slow.write(sent);
      const answer = await text(slow);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"REQUEST_TIMEOUT"');
      if (sent.startsWith('POST')) await failed;
      await httpListener.close(1_000);
    });

    it('says with it what the plane says on every answer', async () => {
      const headers = ({ headers: { origin = '' } }: IncomingMessage) => ({ 'Access-Control-Allow-Origin': origin });
      const planes = [{ prefixes: ['/api/'], handle: (incoming: IncomingMessage) => void incoming.resume(), headers }];
      const httpListener = await openHttpListener({ ...options, planes, readiness: ready, slowAfterMs: 200 });
      const slow = connect(httpListener.port, '127.0.0.1');
      slow.write('POST /api/x HTTP/1.1\r\nHost: x\r\nOrigin: https://x.example\r\nContent-Length: 9\r\n\r\nx');
      expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 [^]*\r\nAccess-Control-Allow-Origin: https:\/\/x\.example\r\n/);
      await httpListener.close(1_000);
    });

    it('cuts one whose body trickles after its answer has begun', async () => {
      const httpListener = await openImpatient((incoming, response) => {
        incoming.resume();
        response.write('begun');
      });
      const slow = connect(httpListener.port, '127.0.0.1');
      slow.on('error', () => undefined).write(post);
      const trickle = setInterval(() => slow.write('x'), 20);
      await new Promise((closed) => slow.once('close', closed));
      clearInterval(trickle);
      await httpListener.close(1_000);
    });

    it('bears with a body that keeps coming, however long it takes', async () => {
      const httpListener = await openImpatient((incoming, response) => {
        incoming.resume().once('end', () => response.end('whole'));
      }, 700);
      const steady = request({ port: httpListener.port, host: '127.0.0.1', path: '/api/x', method: 'POST' });
      const answered = once(steady, 'response') as Promise<[IncomingMessage]>;
      for (let part = 0; part < 20; part += 1) {
        steady.write(Buffer.alloc(16 * 1024));
        await delay(100);
      }
      steady.end();
      expect(await text((await answered)[0])).toBe('whole');
      await httpListener.close(1_000);
    });

    it('does not blame a client for a handler that is slow to read', async () => {
      const { promise: taken, resolve: take } = deferred<[IncomingMessage, ServerResponse]>();
      const httpListener = await openImpatient((...given) => take(given));
      const client = request({ port: httpListener.port, host: '127.0.0.1', path: '/api/x', method: 'POST' });
      const answered = once(client, 'response') as Promise<[IncomingMessage]>;
      client.end(Buffer.alloc(1_000_000));
      const [incoming, response] = await taken;
      await delay(600);
      incoming.resume().once('end', () => response.end('whole'));
      expect(await text((await answered)[0])).toBe('whole');
      await httpListener.close(1_000);
    });
  });

  describe('clients that are slow to read', () => {
    const openSlow = (handle: (request: IncomingMessage, response: ServerResponse) => void, slowResponseMs: number) =>
      openHttpListener({ ...options, planes: [{ prefixes: ['/api/'], handle }], readiness: ready, slowResponseMs });
    const large = Buffer.alloc(32 * 1024 * 1024);
    const ask = 'GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n';

    it('are cut off while bytes wait for them, also when they send some themselves', async () => {
      const { promise: taken, resolve: take } = deferred<ServerResponse>();
      const httpListener = await openSlow((_incoming, response) => take(response.end(large)), 300);
      const client = connect(httpListener.port, '127.0.0.1');
      client.on('error', () => undefined).pause();
      client.write(ask);
      const closed = once(await taken, 'close');
      client.write('GET /api/x HTTP/1.1\r\nX-Trickle: ');
      const trickle = setInterval(() => client.write('x'), 20);
      await closed;
      clearInterval(trickle);
      client.destroy();
      await httpListener.close(1_000);
    });

    it('are borne with as long as they keep taking', async () => {
      const parts = Array<Buffer>(512).fill(large.subarray(0, 64 * 1024));
      const httpListener = await openSlow((_incoming, response) => void Readable.from(parts).pipe(response), 1_500);
      const client = connect(httpListener.port, '127.0.0.1');
      client.write(ask);
      let bytes = 0;
      for await (const chunk of client) {
        const before = bytes;
        bytes += (chunk as Buffer).length;
        if (bytes > large.length) break;
        if (bytes >> 20 !== before >> 20) await delay(100);
      }
      expect(bytes).toBeGreaterThan(large.length);
      await httpListener.close(1_000);
    });

    it('are not taken for it while the handler has nothing to send', async () => {
      const httpListener = await openSlow((_incoming, response) => {
        response.write('first ');
        setTimeout(() => response.end('last'), 800);
      }, 200);
      expect(await (await fetch(`http://127.0.0.1:${httpListener.port}/api/x`)).text()).toBe('first last');
      await httpListener.close(1_000);
    });
  });

  it('ends a connection on which no byte moves, and none that moves', async () => {
    const handle = (incoming: IncomingMessage, response: ServerResponse) => {
      if (incoming.url === '/api/mute') return;
      const drip = setInterval(() => response.write('x'), 50);
      setTimeout(() => (clearInterval(drip), response.end('end')), 1_000);
    };
    const planes = [{ prefixes: ['/api/'], handle }];
    const httpListener = await openHttpListener({ ...options, planes, readiness: ready, silentAfterMs: 400 });
    const ask = (path: string) => fetch(`http://127.0.0.1:${httpListener.port}${path}`).then((answer) => answer.text());
    const [mute, dripping] = await Promise.allSettled([ask('/api/mute'), ask('/api/drip')]);
    expect(mute.status).toBe('rejected');
    expect(dripping).toMatchObject({ status: 'fulfilled', value: expect.stringMatching(/^x+end$/) as string });
    await httpListener.close(1_000);
  });

  it.each([
    ['no HTTP', 'EHLO sluice\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['no host', 'GET /api/x HTTP/1.1\r\nX-Other: x\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['two lengths', 'POST /api/x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['a flood of headers', `GET /api/x HTTP/1.1\r\nX-Flood: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ])('answers %s in the envelope, and ends the connection', async (_, sent, status, code) => {
    const [httpListener] = await open((_request, response) => response.end());
    const client = connect(httpListener.port, '127.0.0.1');
    client.write(sent);
    const answer = await text(client);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code } });
    await httpListener.close(1_000);
  });
});
