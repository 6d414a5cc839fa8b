import { join } from 'node:path';
import { DomainError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OPEN, serveSite } from '../http/static-site';
import { wantsPage } from '../listings/plane/callback';

/** The console's build output, relative to this module's own. */
export const CONSOLE_FOLDER = join(__dirname, '..', '..', '..', 'console');

/** Serves the console: its files, and its page at every other address, which its own router reads. */
export function serveConsole(fastify: FastifyInstance, folder: string): void {
  serveSite(fastify, {
    path: '/console',
    name: 'The console',
    folder,
    policy: ["style-src 'self'", "form-action 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
    resolve: (path, has) => ({ file: has(path) ? path : 'index.html' }),
  });

  const redirect = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!wantsPage(request)) throw new DomainError('NOT_FOUND', 'There is nothing at this address.');
    return reply.redirect('/console', 302);
  };
  fastify.get('/', OPEN, redirect);
  fastify.head('/', OPEN, redirect);
}
