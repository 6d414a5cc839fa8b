import { DomainError } from '@sluice/kernel';
import type { ByteRange } from '@sluice/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { byteRange } from './byte-range';

/** A range applies to GET only, and with If-Range only if the client's copy is the same. */
export function requestedRange(
  request: FastifyRequest,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': ifRange } = request.headers;
  if (request.method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return undefined;
  return byteRange(range, size);
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2). */
export function matchesAny(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((given) => ['*', etag, `W/${etag}`].includes(given.trim()));
}

/** @param what of which the client wants a part, such as `bundle` */
export function unsatisfiableRange(reply: FastifyReply, size: number, what: string): DomainError {
  reply.header('Content-Range', `bytes */${size}`);
  const message = `The range starts beyond the end of the ${what}, which has ${size} bytes.`;
  return new DomainError('RANGE_NOT_SATISFIABLE', message);
}
