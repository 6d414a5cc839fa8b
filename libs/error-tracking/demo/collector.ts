import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on loopback. */
export interface Served {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** A server on loopback that keeps what a page sends to it, and answers as a provider's collector would. */
export interface Collector extends Served {
  readonly received: readonly Received[];
  /** What it does from now on with what arrives; `ok` at first. A hanging one keeps what it received. */
  behave(as: 'ok' | 'broken' | 'hanging'): void;
  onReceived(listener: (received: Received) => void): void;
}

/**
 * Replaces LogRocket's recorder, which is not on npm: receives the calls of the real SDK and posts each
 * unchanged, without the recorder's own wire format.
 */
const RECORDER = `
window._LRLogger = class {
  constructor(options) { this.send('constructor', options); }
  send(call, ...args) {
    if (call !== 'constructor' && call !== 'init' && this.options?.shouldSendData?.() === false) return;
    const origin = new URL(window.__SDKCONFIG__.serverURL).origin;
    navigator.sendBeacon(origin + '/i', JSON.stringify({ call, args }, (key, value) =>
      typeof value === 'function' ? '[Function]' : value));
  }
  init(appId, options) { this.options = options; this.send('init', appId, options); }
  addEvent(type, message, options) { this.send('addEvent', type, message(this.options), options); }
  identify(...args) { this.send('identify', ...args); }
  track(...args) { this.send('track', ...args); }
  startNewSession() { this.send('startNewSession'); }
  uninstall() { this.options = { shouldSendData: () => false }; }
};`;

export async function startCollector(): Promise<Collector> {
  const received: Received[] = [];
  const listeners: ((received: Received) => void)[] = [];
  let behaviour = 'ok';

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://collector');
    const body = (await buffer(request)).toString();
    const one = { method: request.method ?? '', url, headers: request.headers, body };
    received.push(one);
    listeners.forEach((listener) => listener(one));
    if (url.pathname === '/logger.min.js') {
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(RECORDER);
    } else if (behaviour === 'broken') {
      response.writeHead(500).end();
    } else if (behaviour === 'ok') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"err":0,"result":{}}');
    }
  }

  const served = await serve((request, response) => void take(request, response).catch(() => response.destroy()));
  return {
    ...served,
    received,
    behave: (as) => (behaviour = as),
    onReceived: (listener) => listeners.push(listener),
  };
}

/** @param port 0: a free one */
export async function serve(listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
