import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Whether a body follows the headers. */
export function bringsBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Lets a response reach a client that writes its whole request before it reads. Node closes a connection that ends with
 * the response immediately, and what still arrives then resets it, the response on its way included. Here it is closed
 * for writing alone, and read on for at most `lingerMs`. Of a request whose response was sent, at most `lingerBytes`
 * more are read, whether its connection ends or not; a client that sends more is cut off.
 */
export function lingerBehind(
  request: IncomingMessage,
  response: ServerResponse,
  lingerMs: number,
  lingerBytes: number,
): void {
  const { socket } = request;
  // Ahead of Node's own listener, which would read the rest of a body that no handler reads without counting it.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    let left = lingerBytes;
    request.on('data', (chunk: Buffer | string) => {
      left -= chunk.length;
      if (left < 0) socket.destroy();
    });
    request.read();
  });
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) {
      Socket.prototype.destroySoon.call(socket);
      return;
    }
    const patience = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(patience));
    socket.end();
    request.once('end', () => Socket.prototype.destroySoon.call(socket)).resume();
  };
}
