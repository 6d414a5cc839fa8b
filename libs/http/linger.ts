import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Whether a body follows the headers. */
export function bringsBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** The request of a connection that came last with a body. */
type LingeringSocket = Socket & { lastWithBody?: IncomingMessage };

/**
 * Lets a response reach a client that writes its whole request before it reads. Node closes a connection that ends with
 * the response immediately, and what still arrives then resets it, the response on its way included. Here it is closed
 * for writing alone, and read on for at most `lingerMs`. Of a request whose response was sent, at most `lingerBytes`
 * more are read, whether its connection ends or not; a client that sends more is cut off.
 *
 * Returns a function to call with each request that brings a body. It makes no closures for a request: those would let
 * thousands of finished requests survive collections of young garbage.
 */
export function lingerBehind(lingerMs: number, lingerBytes: number) {
  function readRest(this: ServerResponse): void {
    const { req: request } = this;
    if (request.complete) return;
    const { socket } = request;
    let left = lingerBytes;
    request.on('data', (chunk: Buffer | string) => {
      left -= chunk.length;
      if (left < 0) socket.destroy();
    });
    request.read();
  }

  function destroySoon(this: LingeringSocket): void {
    const request = this.lastWithBody;
    if (request === undefined || request.complete || this.destroyed) {
      Socket.prototype.destroySoon.call(this);
      return;
    }
    const patience = setTimeout(() => this.destroy(), lingerMs).unref();
    this.once('close', () => clearTimeout(patience));
    this.end();
    request.once('end', () => Socket.prototype.destroySoon.call(this)).resume();
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const socket: LingeringSocket = request.socket;
    socket.lastWithBody = request;
    socket.destroySoon = destroySoon;
    // Ahead of Node's own listener, which would read the rest of a body that no handler reads without counting it.
    response.prependOnceListener('finish', readRest);
  };
}
