import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { DomainError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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

interface StaticFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly dense: boolean;
  /** Created on first use. */
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

/** Pages for anyone, built into a folder. */
export interface StaticSite {
  /** Its first path: `/console`. */
  readonly path: string;
  /** Its name at the beginning of an error's message. */
  readonly name: string;
  readonly folder: string;
  /** Directives of its Content-Security-Policy, in addition to those of every site. */
  readonly policy: readonly string[];
  /** What a path below its own means, unless it is under `assets/`. */
  readonly resolve: (path: string, has: (file: string) => boolean, request: FastifyRequest) => Resolved | undefined;
}

type Resolved = { readonly file: string; readonly status?: number } | { readonly redirect: string };

/** The access of routes that serve pages. */
export const OPEN = { config: { access: 'open' } } as const;

/**
 * Serves the files that are in the folder now. Nothing is read from disk later, so no address reaches any other file. No
 * response sets a cookie.
 */
export function serveSite(fastify: FastifyInstance, { path: root, name, folder, policy, resolve }: StaticSite): void {
  const files = filesIn(folder);
  const headers = {
    'Content-Security-Policy': [
      ...["default-src 'none'", "script-src 'self'", "img-src 'self' data:", "font-src 'self'", "connect-src 'self'"],
      ...["base-uri 'none'", "frame-ancestors 'none'", ...policy],
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    void reply.headers(headers);
    if (files.size === 0) {
      throw new DomainError('NOT_FOUND', `${name} is not built. Run "node setup.mjs" and restart the server.`);
    }
    const { '*': path = '' } = request.params as { readonly '*'?: string };
    const isAsset = path.startsWith('assets/');
    const resolved = isAsset ? { file: path } : resolve(path, (file) => files.has(file), request);
    if (resolved !== undefined && 'redirect' in resolved) return reply.redirect(resolved.redirect, 302);
    const file = resolved && files.get(resolved.file);
    if (file === undefined) throw new DomainError('NOT_FOUND', `${name} has no file with this name.`);
    // Names of assets contain a hash of their content.
    void reply.header('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    return send(file, request, reply.status(resolved?.status ?? 200));
  };
  for (const path of [root, `${root}/*`]) {
    fastify.get(path, OPEN, serve);
    fastify.head(path, OPEN, serve);
  }
}

/** Compressed if the client accepts that; 304 if the client has it. */
async function send(file: StaticFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const encoding = file.dense ? undefined : encodingFor(request.headers['accept-encoding']);
  const etag = `"${file.etag}${encoding === undefined ? '' : `-${encoding}`}"`;
  void reply.headers({ ETag: etag, ...(!file.dense && { Vary: 'Accept-Encoding' }) });
  if (request.headers['if-none-match'] === etag) return reply.status(304).send();
  void reply.type(file.type);
  if (encoding === undefined) return reply.send(file.bytes);
  return reply.header('Content-Encoding', encoding).send(await compressed(file, encoding));
}

function compressed({ bytes, compressed: made }: StaticFile, encoding: Encoding): Promise<Buffer> {
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

/** By their path in the folder, with slashes; none if there is no such folder. */
function filesIn(folder: string): ReadonlyMap<string, StaticFile> {
  const paths = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];
  return new Map(
    paths.map((path) => {
      const bytes = readFileSync(path);
      const extension = extname(path);
      const file: StaticFile = {
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
