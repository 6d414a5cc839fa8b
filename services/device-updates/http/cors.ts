import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const EXPOSED = 'ETag, Content-Disposition, Content-Range, Accept-Ranges, Retry-After, X-Bundle-Checksum';
const ALLOWED_BESIDE_X = new Set(['content-type', 'if-none-match', 'if-range', 'range']);

/**
 * Names and values in turn, in addition to `Vary: Origin`. Any page may read the response, because the key's
 * restrictions decide who may call.
 */
export function corsHeaders(origin: string): readonly string[] {
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED];
}

/** The same headers and `Vary`, by name. */
export function anyOrigin({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): Readonly<Record<string, string>> {
  if (origin === undefined) return { Vary: 'Origin' };
  return { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED };
}

/** Responds to OPTIONS: every method of the plane, every `X-*` header. */
export function preflight(request: FastifyRequest, reply: FastifyReply): void {
  const allowed = (request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name.startsWith('x-') || ALLOWED_BESIDE_X.has(name));
  if (allowed.length > 0) reply.header('Access-Control-Allow-Headers', allowed.join(', '));
  void reply
    .code(204)
    .header('Vary', 'Origin, Access-Control-Request-Headers')
    .header('Access-Control-Allow-Methods', 'GET, HEAD, POST, DELETE, OPTIONS')
    .header('Access-Control-Max-Age', '86400')
    .send();
}
