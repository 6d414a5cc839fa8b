import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { DomainError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { wantsPage } from '../listings/plane/callback';

/** The console's build output, relative to this module's own. */
export const CONSOLE_FOLDER = join(__dirname, '..', '..', '..', 'console');

const PAGE = 'index.html';
/** The console is a page like any other: it asks the planes for what it shows. */
const OPEN = { config: { access: 'open' } } as const;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** Formats that are already compressed. */
const DENSE = new Set(['.ico', '.png', '.woff2']);

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'"],
    ...["connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * The first that the client takes. The first to ask for a file waits for it: a higher quality than this takes
 * nine times as long, for a hundredth less.
 */
const ENCODINGS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;
type Encoding = keyof typeof ENCODINGS;

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly dense: boolean;
  /** Created on first use. */
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

/**
 * Serves the console: its files as they lie in the folder now, and its page at every other address below
 * /console, which its own router reads. Nothing is read from disk later, so that no address names a file
 * that is none of them. Answers carry no cookie, and run no script but the console's own.
 */
export function serveConsole(fastify: FastifyInstance, folder: string): void {
  const files = filesIn(folder);

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    void reply.headers(HEADERS);
    const page = files.get(PAGE);
    if (page === undefined) {
      throw new DomainError('NOT_FOUND', 'The console is not built. Run "node setup.mjs" and restart the server.');
    }
    const { '*': path = '' } = request.params as { readonly '*'?: string };
    const isAsset = path.startsWith('assets/');
    const file = files.get(path) ?? (isAsset ? undefined : page);
    if (file === undefined) throw new DomainError('NOT_FOUND', 'The console has no file with this name.');
    // Asset names contain a hash of their content.
    void reply.header('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    return send(file, request, reply);
  };
  for (const path of ['/console', '/console/*']) {
    fastify.get(path, OPEN, serve);
    fastify.head(path, OPEN, serve);
  }

  const redirect = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!wantsPage(request)) throw new DomainError('NOT_FOUND', 'There is nothing at this address.');
    return reply.redirect('/console', 302);
  };
  fastify.get('/', OPEN, redirect);
  fastify.head('/', OPEN, redirect);
}

async function send(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const encoding = file.dense ? undefined : encodingFor(request.headers['accept-encoding']);
  const etag = `"${file.etag}${encoding === undefined ? '' : `-${encoding}`}"`;
  void reply.headers({ ETag: etag, ...(!file.dense && { Vary: 'Accept-Encoding' }) });
  if (request.headers['if-none-match'] === etag) return reply.status(304).send();
  void reply.type(file.type);
  if (encoding === undefined) return reply.send(file.bytes);
  return reply.header('Content-Encoding', encoding).send(await compressed(file, encoding));
}

function compressed({ bytes, compressed: made }: ConsoleFile, encoding: Encoding): Promise<Buffer> {
  const before = made.get(encoding);
  if (before !== undefined) return before;
  const begun = ENCODINGS[encoding](bytes);
  made.set(encoding, begun);
  return begun;
}

/** Of those that a header names, unless with a weight of 0 (RFC 9110, 12.5.3). */
function encodingFor(header: FastifyRequest['headers']['accept-encoding']): Encoding | undefined {
  const accepted = new Set<string>();
  for (const part of [header ?? []].flat().join(',').split(',')) {
    const [name = '', ...parameters] = part.toLowerCase().replace(/\s/g, '').split(';');
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return (Object.keys(ENCODINGS) as Encoding[]).find((encoding) => accepted.has(encoding));
}

/** By their path in the folder, with slashes. */
function filesIn(folder: string): ReadonlyMap<string, ConsoleFile> {
  const paths = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];
  return new Map(
    paths.map((path) => {
      const bytes = readFileSync(path);
      const extension = extname(path);
      const file: ConsoleFile = {
        type: TYPES[extension] ?? 'application/octet-stream',
        etag: createHash('sha256').update(bytes).digest('base64url'),
        bytes,
        dense: DENSE.has(extension),
        compressed: new Map(),
      };
      return [relative(folder, path).split(sep).join('/'), file];
    }),
  );
}
