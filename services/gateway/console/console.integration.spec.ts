import { mkdirSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { DomainError } from '@sluice/kernel';
import { errorReply } from '@sluice/http';
import { temporaryDirectory } from '@sluice/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { serveConsole } from './console';
import { guardPlanes, type PlanesOptions } from '../http/planes';

const PAGE = '<!doctype html><title>Sluice</title>';
const SCRIPT = `export const text = '${'sluice '.repeat(1_000)}';`;

interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

async function serve(folder: string): Promise<FastifyInstance> {
  const fastify = Fastify({ exposeHeadRoutes: false });
  guardPlanes(fastify, { logger: { isLevelEnabled: () => false } } as unknown as PlanesOptions);
  fastify.setErrorHandler((error, _, reply) => {
    if (!(error instanceof DomainError)) throw error;
    const { status, body } = errorReply(error);
    return reply.status(status).send(body);
  });
  serveConsole(fastify, folder);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  return fastify;
}

/** Sends the path unchanged: a URL would be normalized first. */
function ask(
  fastify: FastifyInstance,
  path: string,
  { method = 'GET', ...headers }: { method?: string } & Record<string, string> = {},
): Promise<Heard> {
  const { port } = fastify.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      buffer(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('the console', () => {
  let folder: string;
  let server: FastifyInstance;

  beforeAll(async () => {
    const scratch = temporaryDirectory();
    folder = join(scratch, 'console');
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(scratch, 'secret'), 'secret');
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, '.built'), '');
    writeFileSync(join(folder, 'assets', 'index-3f9a.js'), SCRIPT);
    writeFileSync(join(folder, 'assets', 'inter-77aa.woff2'), Buffer.alloc(2_000));
    server = await serve(folder);
  });

  afterAll(() => server.close());

  it.each(['/console', '/console/', '/console/apps/7/builds?page=2', '/console/index.html'])(
    'serves its page at %s, which browsers must revalidate',
    async (path) => {
      const { status, headers, bytes } = await ask(server, path);
      expect([status, bytes.toString()]).toEqual([200, PAGE]);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
      expect((await ask(server, path, { 'If-None-Match': headers.etag! })).status).toBe(304);
    },
  );

  it('holds the page to its own scripts, on every answer, and sets no cookie', async () => {
    for (const path of ['/console', '/console/assets/index-3f9a.js', '/console/assets/gone.js']) {
      const { headers } = await ask(server, path);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; style-src 'self'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });

  it('lets assets be cached permanently, and returns 404 for one that does not exist', async () => {
    const script = await ask(server, '/console/assets/index-3f9a.js');
    expect([script.status, script.bytes.toString()]).toEqual([200, SCRIPT]);
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const gone = await ask(server, '/console/assets/index-0000.js');
    expect([gone.status, gone.headers['cache-control']]).toEqual([404, 'no-store']);
    expect(JSON.parse(gone.bytes.toString())).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
  ])('compresses for who accepts %s', async (accepted, encoding, decompress) => {
    for (const [path, text] of [
      ['/console', PAGE],
      ['/console/assets/index-3f9a.js', SCRIPT],
    ] as const) {
      const { headers, bytes } = await ask(server, path, { 'Accept-Encoding': accepted });
      expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
      expect(decompress(bytes).toString()).toBe(text);
      if (text === SCRIPT) expect(bytes.length).toBeLessThan(text.length / 10);
    }
  });

  it.each([{}, { 'Accept-Encoding': 'identity, br;q=0.000' }])(
    'sends plain bytes to who asks by %j',
    async (headers) => {
      const answer = await ask(server, '/console/assets/index-3f9a.js', headers);
      expect([answer.headers['content-encoding'], answer.bytes.toString()]).toEqual([undefined, SCRIPT]);
      expect(answer.headers.vary).toBe('Accept-Encoding');
    },
  );

  it('does not compress what is compressed', async () => {
    const { headers, bytes } = await ask(server, '/console/assets/inter-77aa.woff2', { 'Accept-Encoding': 'br' });
    expect(headers).toMatchObject({ 'content-type': 'font/woff2' });
    expect([headers['content-encoding'], bytes.length]).toEqual([undefined, 2_000]);
  });

  it('answers HEAD as GET, without the bytes', async () => {
    for (const path of ['/console', '/console/assets/index-3f9a.js', '/console/assets/gone.js', '/']) {
      const [got, head] = [await ask(server, path), await ask(server, path, { method: 'HEAD' })];
      expect([head.status, head.bytes.length]).toEqual([got.status, 0]);
      expect({ ...head.headers, date: '' }).toEqual({ ...got.headers, date: '' });
    }
  });

  it.each([
    '/console/../secret',
    '/console/..%2fsecret',
    '/console/%2e%2e/secret',
    '/console/..%5csecret',
    '/console//etc/passwd',
    '/console/../../../../../../../../etc/passwd',
    '/console/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/console/.built',
  ])('finds no file at %s', async (path) => {
    const { status, bytes } = await ask(server, path);
    expect([status, bytes.toString()]).toEqual([200, PAGE]);
  });

  it.each(['/console/assets/../index.html', '/console/assets/..%2f..%2fsecret', '/console/assets/'])(
    'finds no asset at %s',
    async (path) => {
      expect((await ask(server, path)).status).toBe(404);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('takes no %s', async (method) => {
    expect((await ask(server, '/console', { method })).status).toBe(404);
  });

  it('is the redirect of a browser that requests no path, and of no other client', async () => {
    const browser = await ask(server, '/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.location]).toEqual([302, '/console']);
    expect((await ask(server, '/', { Accept: '*/*' })).status).toBe(404);
  });

  it('that is not built says how to build it', async () => {
    const bare = await serve(join(folder, 'nowhere'));
    try {
      const { status, bytes } = await ask(bare, '/console/apps');
      expect(status).toBe(404);
      expect(bytes.toString()).toContain('node setup.mjs');
    } finally {
      await bare.close();
    }
  });
});
