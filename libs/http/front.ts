import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { watchSlowRequests } from './slow-requests';
import { TrafficCount, type TrafficFacts } from './traffic';
import { endWith, lastWordOn, TOO_SLOW } from './unparsed';

/** Whether the process may be sent requests, and what it has to say about each of its parts. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, unknown>>;
}

export interface FrontOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The first plane one of whose prefixes begins the path gets the request. */
  readonly planes: readonly { readonly prefixes: readonly string[]; readonly handle: RequestListener }[];
  readonly readiness: () => Promise<Readiness>;
  /** Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /**
   * A connection that has not brought the headers of a request by then, or a body that brings less
   * than 16 KiB in such a stretch of time, is answered with 408 and ended. Default 60,000.
   */
  readonly slowAfterMs?: number;
  /** A connection on which no byte moves for so long is ended, whatever it was doing. Default 120,000. */
  readonly silentAfterMs?: number;
}

export interface Front {
  readonly host: string;
  readonly port: number;
  /** Who asks the planes, of late. */
  traffic(): TrafficFacts;
  /**
   * Takes no new connections, answers what is in flight, and ends within `graceMs`. A connection
   * on which no byte has moved for 2 s is cut; an idle one that has carried requests ends at once.
   */
  close(graceMs: number): Promise<void>;
}

const SILENCE_MS = 2_000;
const WATCH_MS = 100;

interface Connection {
  /** That it has carried so far: before the first, one may be on its way. */
  requests: number;
  inFlight: number;
  bytes: number;
  movedAt: number;
}

/** The one listener of a process: health and metrics are its own, the rest goes to the planes. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const connections = new Map<Socket, Connection>();
  const traffic = new TrafficCount();
  const routes = options.planes.flatMap((plane) => plane.prefixes.map((prefix) => ({ prefix, plane })));
  let stopping = false;
  const { slowAfterMs = 60_000, silentAfterMs = 120_000 } = options;
  const slowRequests = watchSlowRequests({
    slowAfterMs,
    tooSlow: (socket, response) => endWith(TOO_SLOW, socket, response),
  });

  const timeouts = {
    keepAliveTimeout: 72_000,
    headersTimeout: slowAfterMs,
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(10_000, slowAfterMs),
  };
  const server = createServer(timeouts, (request, response) => {
    const connection = connections.get(request.socket);
    if (connection !== undefined) {
      connection.requests += 1;
      connection.inFlight += 1;
      response.on('close', answered);
    }
    if (stopping) response.shouldKeepAlive = false;
    slowRequests.watch(request, response);
    dispatch(request, response);
  });
  // A timer on each socket, which every request winds up anew, would cost more than to look at them all now and then.
  const silence = setInterval(() => endSilent(silentAfterMs), Math.min(10_000, silentAfterMs)).unref();
  server.on('clientError', (error, socket) => endWith(lastWordOn(error), socket as Socket));
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { requests: 0, inFlight: 0, bytes: 0, movedAt: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });

  function endSilent(afterMs: number): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== connection.bytes) Object.assign(connection, { bytes, movedAt: now });
      else if (now - connection.movedAt >= afterMs) socket.destroy();
    }
  }

  // One for all: a closure for every request would be made to be thrown away.
  function answered(this: ServerResponse): void {
    const { socket } = this.req;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.inFlight -= 1;
    if (stopping && connection.inFlight === 0) socket.end();
  }

  function dispatch(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    if (path.startsWith('/health/') || path === '/metrics') {
      void answerItself(path, response);
      return;
    }
    traffic.count(request);
    for (const { prefix, plane } of routes) {
      if (path.startsWith(prefix)) {
        plane.handle(request, response);
        return;
      }
    }
    notFound(response);
  }

  async function answerItself(path: string, response: ServerResponse): Promise<void> {
    if (path === '/health/live') {
      sendJson(response, 200, { status: 'ok' });
    } else if (path === '/health/ready') {
      const { ready, parts } = stopping
        ? { ready: false, parts: { stopping: true } }
        : await options.readiness().catch(() => ({ ready: false, parts: {} }));
      sendJson(response, ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', ...parts });
    } else if (path === '/metrics') {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
      response.end(await options.metrics().catch(() => ''));
    } else {
      notFound(response);
    }
  }

  await listen(server, options);
  const { port } = server.address() as AddressInfo;

  return {
    host: options.host,
    port,
    traffic: () => traffic.facts(),
    async close(graceMs) {
      stopping = true;
      // http.Server.close() would also cut answers that are ended but not yet flushed.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      for (const [socket, connection] of connections) {
        if (connection.requests > 0 && connection.inFlight === 0) socket.end();
      }
      const deadline = performance.now() + graceMs;
      const begun = performance.now();
      for (const connection of connections.values()) connection.movedAt = begun;
      clearInterval(silence);
      const watch = setInterval(() => {
        if (performance.now() < deadline) endSilent(SILENCE_MS);
        else for (const socket of connections.keys()) socket.destroy();
      }, WATCH_MS);
      await closed;
      clearInterval(watch);
      slowRequests.close();
    },
  };
}

function listen(server: Server, { host, port }: FrontOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

function notFound(response: ServerResponse): void {
  sendJson(response, 404, { error: { code: 'NOT_FOUND', message: 'There is nothing at this address.' } });
}
