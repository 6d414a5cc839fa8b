import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UNCACHED } from './answer-headers';

/** Renders Prometheus' text format. */
export type RenderMetrics = () => Promise<string>;

const FRESH_MS = 1_000;
/** Of a scraper that is slow, or silent. */
const TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 256;

/** Renders at most once a second, however many scrapers ask; empty when rendering fails. */
export function renderOnceASecond(render: RenderMetrics): RenderMetrics {
  let rendered: Promise<string> | undefined;
  let settledAt = -Infinity;
  return () => {
    if (rendered === undefined || performance.now() - settledAt >= FRESH_MS) {
      settledAt = Infinity;
      rendered = render()
        .catch(() => '')
        .finally(() => (settledAt = performance.now()));
    }
    return rendered;
  };
}

export async function sendMetrics(response: ServerResponse, render: RenderMetrics): Promise<void> {
  const text = await render();
  response.writeHead(200, {
    'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...UNCACHED,
  });
  response.end(text);
}

const PROXIED = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/** Whether a request was made on this machine, and not to a proxy that sends it on. */
export function isLocal({ headers, socket: { remoteAddress = '' } }: IncomingMessage): boolean {
  const loopback = remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress);
  return loopback && PROXIED.every((name) => headers[name] === undefined);
}

export interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Answers `GET /metrics` and nothing else.
 * @param options.port 0: any free port
 * @throws the system's error, as of a port that is taken
 */
export async function openMetricsListener(options: {
  readonly host: string;
  readonly port: number;
  readonly metrics: RenderMetrics;
}): Promise<MetricsListener> {
  const timeouts = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS };
  const server = createServer(timeouts, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')) {
      void sendMetrics(response, options.metrics);
    } else {
      response
        .writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
        .end('Not found. Metrics are at /metrics.\n');
    }
  });
  server.setTimeout(TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
