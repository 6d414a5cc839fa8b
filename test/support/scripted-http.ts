import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { temporaryDirectory } from '@sluice/testing';

export interface Received {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answer = (response: ServerResponse, request: Received) => void;

/** What each test has to itself. */
export interface ScriptedHttp {
  readonly address: string;
  readonly received: readonly Received[];
  /** Empty, and removed after the test. */
  readonly folder: string;
  /** Answers the next requests in order; the last answer stays. */
  readonly answer: (...answers: readonly Answer[]) => void;
  /** Takes no connection from now on, before the test ends. */
  readonly close: () => Promise<void>;
  /** Hands requests over as they are, bodies unread. */
  readonly handle: (listener: RequestListener) => void;
}

/** For the tests of the block or file that calls it: a server that answers by a script, and records its requests. */
export function scriptedHttp(): ScriptedHttp {
  let server: Server;
  let address: string;
  let folder: string;
  let received: Received[];
  let answers: Answer[];

  beforeEach(async () => {
    received = [];
    answers = [];
    folder = temporaryDirectory();
    server = createServer((request, response) => {
      // What breaks off is not recorded.
      const whole = buffer(request).catch(() => undefined);
      void whole.then((body) => {
        if (body === undefined) return;
        const seen = { line: `${request.method ?? ''} ${request.url ?? ''}`, headers: request.headers, body };
        received.push(seen);
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer) answer(response, seen);
        else response.destroy();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  afterEach(() => close());

  return {
    get address() {
      return address;
    },
    get received() {
      return received;
    },
    get folder() {
      return folder;
    },
    answer: (...next) => void (answers = [...next]),
    close,
    handle: (listener) => void server.removeAllListeners('request').on('request', listener),
  };
}

/** An answer with a JSON body. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
