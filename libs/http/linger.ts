import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

const LOOK_MS = 100;

/** Whether a body follows the headers. */
export function bringsBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Lets an answer that ends its connection reach a client that writes its whole request before it
 * reads. Node closes the connection behind the answer, and what still arrives then resets it, the
 * answer on its way included. Here it is closed for writing alone, and what still comes of the request
 * is read to nowhere, for `lingerMs` and `lingerBytes` at most.
 */
export function lingerBehind(request: IncomingMessage, lingerMs: number, lingerBytes: number): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) {
      Socket.prototype.destroySoon.call(socket);
      return;
    }
    const begun = { at: performance.now(), bytes: socket.bytesRead };
    const watch = setInterval(() => {
      const over = performance.now() - begun.at >= lingerMs || socket.bytesRead - begun.bytes > lingerBytes;
      if (over) socket.destroy();
    }, LOOK_MS).unref();
    socket.once('close', () => clearInterval(watch));
    socket.end();
    request.once('end', () => Socket.prototype.destroySoon.call(socket)).resume();
  };
}
