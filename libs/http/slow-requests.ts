import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a request must bring in each stretch of time while its body is on its way, headers counted: far below a modem. */
const LEAST_BYTES = 16 * 1024;

export interface SlowRequestsOptions {
  /** The length of a stretch. */
  readonly slowAfterMs: number;
  /** Told of a request that is too slow, at most once; ends its connection. */
  readonly tooSlow: (socket: Socket, response: ServerResponse) => void;
}

export interface SlowRequests {
  /** Watches a request that brings a body until it is complete or its connection is gone. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

interface Watched {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  bytes: number;
  since: number;
}

/**
 * Distinguishes slow requests from slow handlers: while bytes that have arrived wait to be read, the client
 * is not to blame, and its period starts again.
 */
export function watchSlowRequests({ slowAfterMs, tooSlow }: SlowRequestsOptions): SlowRequests {
  const watched = new Set<Watched>();
  let arrived: Watched[] = [];
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const entry of watched) {
      const { request, response } = entry;
      const { bytesRead } = request.socket;
      if (request.complete || request.destroyed) {
        watched.delete(entry);
      } else if (request.readableLength > 0) {
        Object.assign(entry, { bytes: bytesRead, since: now });
      } else if (now - entry.since >= slowAfterMs) {
        if (bytesRead - entry.bytes >= LEAST_BYTES) {
          Object.assign(entry, { bytes: bytesRead, since: now });
        } else {
          watched.delete(entry);
          tooSlow(request.socket, response);
        }
      }
    }
    if (watched.size === 0) stop();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  /** A request that came whole is not kept until the next look: thousands a second would be. */
  function admit(): void {
    for (const entry of arrived) if (!entry.request.complete) watched.add(entry);
    arrived = [];
    if (watched.size > 0) timer ??= setInterval(look, Math.max(10, slowAfterMs / 10)).unref();
  }

  return {
    watch(request, response) {
      if (arrived.push({ request, response, bytes: request.socket.bytesRead, since: performance.now() }) === 1) {
        setImmediate(admit);
      }
    },
    close: stop,
  };
}
