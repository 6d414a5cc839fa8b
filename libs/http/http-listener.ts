import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, Socket, type AddressInfo } from 'node:net';
import { DomainError } from '@sluice/kernel';
import { UNCACHED } from './answer-headers';
import { bringsBody, lingerBehind } from './linger';
import { isLocal, sendMetrics, type RenderMetrics } from './metrics-endpoint';
import { watchSlowRequests } from './slow-requests';
import { TrafficCount, type TrafficFacts } from './traffic';
import { endWith, lastWordOn, pathOf, TOO_SLOW, type LastWord } from './unparsed';

/** Whether the process may be sent requests, and what it has to say about each of its parts. */
export interface Readiness {
  readonly ready: boolean;
  /** It may, and something is missing that some requests need. */
  readonly degraded?: boolean;
  readonly parts: Readonly<Record<string, unknown>>;
}

export interface ListenerPlane {
  readonly prefixes: readonly string[];
  /** By host, what every path of requests to that host begins with inside, apart from those that begin with a prefix. */
  readonly hosts?: ReadonlyMap<string, string>;
  readonly handle: RequestListener;
  /** Added to what the listener answers in the plane's place, next to its own. */
  readonly headers?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  /** The body of what the listener answers in the plane's place. Default: the envelope of the listener's own answers. */
  readonly envelope?: (url: string, refusal: DomainError) => object;
}

export interface HttpListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The first plane one of whose prefixes begins the path gets the request. */
  readonly planes: readonly ListenerPlane[];
  readonly readiness: () => Readiness;
  /** Answered at `/metrics` to callers on this machine. Undefined: they have a listener of their own. */
  readonly metrics: RenderMetrics | undefined;
  /**
   * A connection that has not brought the headers of a request by then, or a body that brings less
   * than 16 KiB in such a stretch of time, is answered with 408 and ended. Default 60,000.
   */
  readonly slowAfterMs?: number;
  /**
   * A connection whose client takes less than 32 KiB of a response in such a stretch of time, all of which
   * bytes wait in this process because the system's buffers are full, is ended. Default 120,000.
   */
  readonly slowResponseMs?: number;
  /** A connection on which no byte moves for so long is ended, whatever it was doing. Default 120,000. */
  readonly silentAfterMs?: number;
  /** So long is still read what comes of a request whose answer ends its connection. Default 60,000. */
  readonly lingerMs?: number;
  /** So many bytes are still read of a request behind its response. Default 64 MiB. */
  readonly lingerBytes?: number;
  /** Takes no connections before `listen` is called. */
  readonly listenLater?: boolean;
}

export interface HttpListener {
  readonly host: string;
  /** Before it listens, the one that it was opened with. */
  readonly port: number;
  /** Of one that was opened to listen later. @throws the system's error, as of a port that is taken */
  listen(): Promise<void>;
  /** Who asks the planes, of late. */
  traffic(): TrafficFacts;
  /**
   * Takes no new connections, answers what is in flight, and ends within `graceMs`. Answers say that
   * their connection ends; one that is idle ends after half a second without a further request, so that
   * a busy client, who may have sent it already, isn't cut off. Where no byte has moved for 2 s it is cut.
   */
  close(graceMs: number): Promise<void>;
}

const SILENCE_MS = 2_000;
const IDLE_MS = 500;
const WATCH_MS = 100;
/** What a client must take in each stretch of time while bytes wait for it. */
const LEAST_TAKEN_BYTES = 32 * 1024;

interface Connection {
  /** That it has carried so far: before the first, one may be on its way. */
  requests: number;
  inFlight: number;
  bytes: number;
  movedAt: number;
  /** The last response that had its connection from the start and was not sent immediately. */
  current?: ServerResponse;
  /** Responses to pipelined requests that have no socket before those ahead of them are sent; made by the first. */
  queued?: Set<ServerResponse>;
  /** Since when bytes wait for the client, or since it last took enough of them, and how many it had taken. */
  waiting?: { readonly since: number; readonly taken: number } | undefined;
}

/** The one listener of a process: health and metrics are its own, the rest goes to the planes. */
export async function openHttpListener(options: HttpListenerOptions): Promise<HttpListener> {
  const connections = new Map<Socket, Connection>();
  const traffic = new TrafficCount();
  const routes = options.planes.flatMap((plane) => plane.prefixes.map((prefix) => ({ prefix, plane })));
  const planesWithHosts = options.planes.filter(({ hosts }) => hosts !== undefined && hosts.size > 0);
  let stopping = false;
  const { slowAfterMs = 60_000, slowResponseMs = 120_000, silentAfterMs = 120_000 } = options;
  const { lingerMs = 60_000, lingerBytes = 64 * 1024 ** 2 } = options;
  const linger = lingerBehind(lingerMs, lingerBytes);
  const slowRequests = watchSlowRequests({
    slowAfterMs,
    tooSlow: (socket, response) => {
      const { req } = response;
      const url = askedUrl(req);
      endWith(TOO_SLOW.status, enveloped(url, TOO_SLOW), socket, response, planeOf(url)?.headers?.(req));
    },
  });

  const timeouts = {
    // Nor by a timer that each answer winds up: idle connections end with the silent ones.
    keepAliveTimeout: 0,
    headersTimeout: slowAfterMs,
    requestTimeout: 0,
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(10_000, slowAfterMs),
  };
  const listener: RequestListener = (request, response) => {
    // The connection's last response was sent. One to this request would overtake those that wait, for which
    // an assertion of Node's ends the process.
    if (request.socket.writableEnded || request.socket.destroyed) {
      request.resume();
      return;
    }
    if (stopping) response.shouldKeepAlive = false;
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      // Node would say so without a body (RFC 9112, 3.2).
      response.shouldKeepAlive = false;
      const refusal = { code: 'INVALID_REQUEST', message: 'The header Host is required.' } as const;
      sendJson(response, 400, enveloped(request.url ?? '/', refusal));
      return;
    }
    if (bringsBody(request)) {
      slowRequests.watch(request, response);
      linger(request, response);
    }
    dispatch(request, response);
    const connection = connections.get(request.socket);
    if (connection === undefined) return;
    connection.requests += 1;
    // Sent immediately, and not after an earlier request: the connection has it already.
    if (response.writableEnded && response.socket !== null) return;
    if (response.socket === null) (connection.queued ??= new Set()).add(response);
    else connection.current = response;
    connection.inFlight += 1;
    response.on('close', answered);
  };
  const server = createServer(timeouts, listener);
  // A client that ends its half of the connection still gets its responses, after which Node ends the other half.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Node should not answer expectations other than 100-continue in place of a plane.
  server.on('checkExpectation', listener);
  // A timer on each socket, which every request restarts, would cost more than a periodic look at all of them.
  const silence = setInterval(() => cutSilent(silentAfterMs), Math.min(10_000, silentAfterMs)).unref();
  const slowness = setInterval(cutSlowReaders, Math.min(10_000, slowResponseMs / 10)).unref();
  server.on('clientError', (error, socket) => {
    const { current, queued = [] } = connections.get(socket as Socket) ?? {};
    const word = lastWordOn(error);
    const body = enveloped(pathOf(error), word);
    // Within a response that is being sent, or ahead of those that wait, it would be taken for a part of them.
    const awaited = [...(current ? [current] : []), ...queued].filter(isAwaited);
    const sent = awaited.map((response) => new Promise((resolve) => response.once('close', resolve)));
    if (sent.length === 0) endWith(word.status, body, socket as Socket);
    else void Promise.all(sent).then(() => endWith(word.status, body, socket as Socket));
  });
  server.on('connection', (socket: Socket) => {
    const connection: Connection = { requests: 0, inFlight: 0, bytes: 0, movedAt: performance.now() };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      for (const response of connection.queued ?? []) closeQueued(response);
    });
  });

  function cutSilent(afterMs: number): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== connection.bytes) Object.assign(connection, { bytes, movedAt: now });
      else if (now - connection.movedAt >= afterMs) socket.destroy();
    }
  }

  function cutSlowReaders(): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      const { writableLength, bytesWritten } = socket;
      const { waiting } = connection;
      const taken = bytesWritten - writableLength;
      if (writableLength === 0) {
        if (waiting !== undefined) connection.waiting = undefined;
      } else if (waiting === undefined || taken - waiting.taken >= LEAST_TAKEN_BYTES) {
        connection.waiting = { since: now, taken };
      } else if (now - waiting.since >= slowResponseMs) {
        socket.destroy();
      }
    }
  }

  function endIdle(afterMs: number): void {
    const now = performance.now();
    for (const [socket, { requests, inFlight, movedAt }] of connections) {
      if (requests > 0 && inFlight === 0 && now - movedAt >= afterMs) socket.end();
    }
  }

  // One for all: a closure for every request would be made to be thrown away.
  function answered(this: ServerResponse): void {
    const { socket } = this.req;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.inFlight -= 1;
    connection.queued?.delete(this);
    if (stopping) connection.movedAt = performance.now();
  }

  function dispatch(request: IncomingMessage, response: ServerResponse): void {
    const path = originForm(request);
    if (path.startsWith('/health/') || path === '/metrics') {
      void answerItself(path, response);
      return;
    }
    traffic.count(request);
    const plane = planeOf(planesWithHosts.length === 0 ? path : pathOfHost(request, path));
    if (plane === undefined) notFound(response);
    else plane.handle(request, response);
  }

  /** The path inside, which the request has from then on. */
  function pathOfHost(request: IncomingMessage, path: string): string {
    const host = hostOf(request);
    for (const { hosts, prefixes } of planesWithHosts) {
      const base = hosts?.get(host);
      if (base === undefined || prefixes.some((prefix) => path.startsWith(prefix))) continue;
      return (request.url = base + (/^\/(\?|$)/.test(path) ? path.slice(1) : path));
    }
    return path;
  }

  function enveloped(url: string, { code, message }: Pick<LastWord, 'code' | 'message'>): string {
    const envelope = planeOf(url)?.envelope;
    return JSON.stringify(envelope?.(url, new DomainError(code, message)) ?? { error: { code, message } });
  }

  function planeOf(path: string): ListenerPlane | undefined {
    for (const { prefix, plane } of routes) if (path.startsWith(prefix)) return plane;
    return undefined;
  }

  function readiness(): Readiness {
    if (stopping) return { ready: false, parts: { stopping: true } };
    try {
      return options.readiness();
    } catch {
      return { ready: false, parts: {} };
    }
  }

  async function answerItself(path: string, response: ServerResponse): Promise<void> {
    const { method } = response.req;
    if (method !== 'GET' && method !== 'HEAD') {
      notFound(response);
    } else if (path === '/health/live') {
      sendJson(response, 200, JSON.stringify({ status: 'ok' }));
    } else if (path === '/health/ready') {
      const { ready, degraded, parts } = readiness();
      const status = ready ? (degraded ? 'degraded' : 'ok') : 'unavailable';
      sendJson(response, ready ? 200 : 503, JSON.stringify({ status, ...parts }));
    } else if (path === '/metrics' && options.metrics !== undefined && isLocal(response.req)) {
      await sendMetrics(response, options.metrics);
    } else {
      notFound(response);
    }
  }

  let { port } = options;
  const startListening = async (): Promise<void> => {
    await listen(server, options);
    ({ port } = server.address() as AddressInfo);
  };
  if (options.listenLater !== true) await startListening();

  return {
    host: options.host,
    get port() {
      return port;
    },
    listen: startListening,
    traffic: () => traffic.facts(),
    async close(graceMs) {
      stopping = true;
      // http.Server.close() would also cut answers that are ended but not yet flushed.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const deadline = performance.now() + graceMs;
      const begun = performance.now();
      for (const connection of connections.values()) connection.movedAt = begun;
      clearInterval(silence);
      clearInterval(slowness);
      const watch = setInterval(() => {
        if (performance.now() < deadline) {
          cutSilent(SILENCE_MS);
          endIdle(IDLE_MS);
        } else for (const socket of connections.keys()) socket.destroy();
      }, WATCH_MS);
      await closed;
      clearInterval(watch);
      slowRequests.close();
    },
  };
}

/** Of a request that came whole, or whose response has begun. */
function isAwaited({ req, headersSent, writableFinished, destroyed }: ServerResponse): boolean {
  return !writableFinished && !destroyed && (headersSent || req.complete);
}

/**
 * Closes a response whose connection ended before its turn. Node emits `close` only on the response that
 * has the socket, so this one gets a socket of its own, which is destroyed already.
 */
function closeQueued(response: ServerResponse): void {
  if (response.socket !== null) return;
  const closed = new Socket().destroy();
  response.assignSocket(closed);
}

function listen(server: Server, { host, port }: HttpListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** As the settings write it: in lower case, without its port. */
function hostOf({ headers: { host = '' } }: IncomingMessage): string {
  return host.toLowerCase().replace(/\.?(:\d*)?$/, '');
}

/** The address without the server's own name, which a client may put in front of it (RFC 9112, 3.2.2). */
function originForm(request: IncomingMessage): string {
  const { url = '/' } = request;
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  request.url = path.startsWith('/') || path === '*' ? path : `/${path}`;
  return request.url;
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...UNCACHED,
  });
  response.end(text);
}

/** A plane's router may have put another in its place, and Fastify then keeps it there. */
function askedUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/';
}

function notFound(response: ServerResponse): void {
  const error = { code: 'NOT_FOUND', message: 'There is nothing at this address.' };
  sendJson(response, 404, JSON.stringify({ error }));
}
