import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/** Of a request that is answered already, so much is still read. */
const LINGER_BYTES = 1024 ** 3;
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
 * is read to nowhere, for `lingerMs` and a GiB at most.
 */
export function lingerBehind(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) {
      Socket.prototype.destroySoon.call(socket);
      return;
    }
    const begun = { at: performance.now(), bytes: socket.bytesRead };
    const watch = setInterval(() => {
      const over = performance.now() - begun.at >= lingerMs || socket.bytesRead - begun.bytes > LINGER_BYTES;
      if (over) socket.destroy();
    }, LOOK_MS).unref();
    socket.once('close', () => clearInterval(watch));
    socket.end();
    request.once('end', () => Socket.prototype.destroySoon.call(socket)).resume();
  };
}
