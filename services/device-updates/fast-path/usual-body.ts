import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The router handles longer bodies and other types. */
const MAX_BODY_BYTES = 4 * 1024;
const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** Bytes of a plain body; undefined if the router must handle it. */
export function usualLength(headers: IncomingHttpHeaders): number | undefined {
  const { 'content-length': length, 'content-type': type, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return undefined;
  if (type === undefined) return length === undefined || length === '0' ? 0 : undefined;
  if (!JSON_TYPES.has(type)) return undefined;
  const bytes = Number(length ?? 0);
  return bytes <= MAX_BODY_BYTES ? bytes : undefined;
}

/** Never calls back if the body is cut off. */
export function readBytes(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  let body: Buffer | undefined;
  request.on('data', (chunk: Buffer) => {
    body = body === undefined ? chunk : Buffer.concat([body, chunk]);
  });
  request.on('end', () => done(body ?? Buffer.alloc(0)));
}
