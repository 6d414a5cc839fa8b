import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a connection is told before it ends, when no plane can answer any more. */
interface LastWord {
  readonly status: string;
  readonly code: string;
  readonly message: string;
}

export const TOO_SLOW: LastWord = {
  status: '408 Request Timeout',
  code: 'REQUEST_TIMEOUT',
  message: 'The request came too slowly. Send it again over a better connection.',
};

/** What is to be said of bytes that are no HTTP request, by the error that Node gives. */
export function lastWordOn(error: Error & { readonly code?: string }): LastWord {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW;
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The headers of the request are too large.';
    return { status: '431 Request Header Fields Too Large', code: 'HEADERS_TOO_LARGE', message };
  }
  return { status: '400 Bad Request', code: 'INVALID_REQUEST', message: 'This is no HTTP request.' };
}

/** Answers in the envelope, unless an answer has begun already, and ends the connection. */
export function endWith(
  { status, code, message }: LastWord,
  socket: Socket,
  response?: ServerResponse,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (!socket.writable || response?.headersSent === true) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
