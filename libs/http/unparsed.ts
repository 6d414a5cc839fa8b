import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@sluice/kernel';
import { UNCACHED } from './answer-headers';

/** The response that a connection gets before it ends, when no plane can respond. */
export interface LastWord {
  readonly status: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export const TOO_SLOW: LastWord = {
  status: '408 Request Timeout',
  code: 'REQUEST_TIMEOUT',
  message: 'The request arrived too slowly. Send it again over a faster connection.',
};

/** What Node gives with bytes that are no HTTP request, as far as its types go. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  /** The offset in the packet. */
  readonly bytesParsed?: number;
}

/** The response to bytes that are not HTTP, by Node's error. */
export function lastWordOn(error: ParserError): LastWord {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW;
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The headers of the request are too large.';
    return { status: '431 Request Header Fields Too Large', code: 'HEADERS_TOO_LARGE', message };
  }
  return { status: '400 Bad Request', code: 'INVALID_REQUEST', message: 'Malformed HTTP request.' };
}

/** The path of a request whose headers were too large; empty unless it is in the packet that exceeded the limit. */
export function pathOf({ rawPacket, bytesParsed }: ParserError): string {
  const packet = rawPacket?.toString('latin1') ?? '';
  const end = packet.slice(0, bytesParsed).lastIndexOf('\r\n\r\n');
  return /^[A-Z-]+ (\/[^\s?]*)/.exec(end === -1 ? packet : packet.slice(end + 4))?.[1] ?? '';
}

/** Sends `body`, unless a response has begun, and ends the connection. */
export function endWith(
  status: string,
  body: string,
  socket: Socket,
  response?: ServerResponse,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (!socket.writable || response?.headersSent === true) {
    socket.destroy();
    return;
  }
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries({ ...UNCACHED, ...headers }).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
