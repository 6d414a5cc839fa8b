import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { serveSite } from '../http/static-site';
import { wantsPage } from '../listings/plane/callback';

/** The build output of `npm run docs`, relative to this module's own. */
export const DOCUMENTATION_FOLDER = join(__dirname, '..', '..', '..', 'docs');

/** Serves the documentation: `/docs/concepts` is the file `concepts.html`, `/docs/api/` the file `api/index.html`. */
export function serveDocumentation(fastify: FastifyInstance, folder: string): void {
  serveSite(fastify, {
    path: '/docs',
    name: 'The documentation',
    folder,
    // Code and diagrams are coloured by style attributes.
    policy: ["style-src 'self' 'unsafe-inline'", "form-action 'none'"],
    resolve: (path, has, request) => {
      const isRoot = request.url.split('?')[0] === '/docs';
      if (isRoot || has(`${path}/index.html`)) return { redirect: isRoot ? '/docs/' : `/docs/${path}/` };
      const file = [path, `${path}.html`, `${path}index.html`].find(has);
      if (file !== undefined) return { file };
      return wantsPage(request) ? { file: '404.html', status: 404 } : undefined;
    },
  });
}
