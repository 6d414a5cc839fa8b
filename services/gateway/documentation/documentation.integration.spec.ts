import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DomainError } from '@sluice/kernel';
import { errorReply } from '@sluice/http';
import { temporaryDirectory } from '@sluice/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { guardPlanes, type PlanesOptions } from '../http/planes';
import { serveDocumentation } from './documentation';

const FILES = {
  'index.html': 'start',
  'concepts.html': 'concepts',
  '404.html': 'no such page',
  'api/index.html': 'the API',
  'assets/app.3f9a.js': 'export {};',
};

describe('the documentation', () => {
  let server: FastifyInstance;

  const get = async (path: string, accept = 'text/html') => {
    const { port } = server.server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: { accept } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  const serve = async (folder: string) => {
    server = Fastify({ exposeHeadRoutes: false });
    guardPlanes(server, { logger: { isLevelEnabled: () => false } } as unknown as PlanesOptions);
    server.setErrorHandler((error, _, reply) => {
      if (!(error instanceof DomainError)) throw error;
      const { status, body } = errorReply(error);
      return reply.status(status).send(body);
    });
    serveDocumentation(server, folder);
    await server.listen({ port: 0, host: '127.0.0.1' });
  };

  beforeEach(async () => {
    const folder = temporaryDirectory();
    for (const name of ['api', 'assets']) mkdirSync(join(folder, name));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    await serve(folder);
  });
  afterEach(() => server.close());

  it.each([
    ['/docs/', 'start'],
    ['/docs/?q=1', 'start'],
    ['/docs/concepts', 'concepts'],
    ['/docs/concepts.html', 'concepts'],
    ['/docs/api/', 'the API'],
    ['/docs/assets/app.3f9a.js', 'export {};'],
  ])('serves %s to anyone, with a policy that allows no script of others', async (path, text) => {
    const response = await get(path);
    expect([response.status, response.text]).toEqual([200, text]);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs?q=1', '/docs/'],
    ['/docs/api', '/docs/api/'],
  ])('redirects %s to %s, where the links of that page work', async (path, location) => {
    const response = await get(path);
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  });

  it.each(['/docs/nothing', '/docs/%2e%2e%2fpackage.json', '/docs/api/nothing/'])(
    'returns 404 for %s: a page to browsers, an error to programs',
    async (path) => {
      const page = await get(path);
      expect([page.status, page.text]).toEqual([404, 'no such page']);
      const error = await get(path, '*/*');
      expect([error.status, JSON.parse(error.text)]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    },
  );

  it('returns 404 for an asset of another build', async () => {
    expect((await get('/docs/assets/app.0000.js')).status).toBe(404);
  });

  it('explains how to build it when it is missing', async () => {
    await server.close();
    await serve(join(temporaryDirectory(), 'nowhere'));
    const response = await get('/docs/concepts');
    expect(response.status).toBe(404);
    expect(response.text).toContain('node setup.mjs');
  });
});
