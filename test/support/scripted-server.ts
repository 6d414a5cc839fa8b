import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { temporaryDirectory } from '@sluice/testing';
import { run } from '../../libs/cli/program';

export interface Received {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answer = (response: ServerResponse, request: Received) => void;

/** What each test that runs commands has to itself. */
export interface ScriptedServer {
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
  /** Runs a command line against it, in this process; pauses are noted and take no time. */
  readonly run: (commandLine: readonly string[], options?: SluiceOptions) => ReturnType<typeof sluice>;
}

/** For the tests of the block or file that calls it: a server that answers by a script, and records its requests. */
export function scriptedServer(): ScriptedServer {
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
      void buffer(request).then((body) => {
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
    run: (commandLine, options) => sluice(address, folder, commandLine, options),
  };
}

/** An answer with a JSON body. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

class Screen extends Writable {
  shown = '';
  constructor(readonly isTTY: boolean) {
    super();
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.shown += chunk.toString();
    done();
  }
}

interface SluiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  /** The input when the command asks. */
  readonly answers?: readonly (string | (() => Promise<string>))[];
  /** The current folder; by default one that holds nothing. */
  readonly folder?: string;
}

/** Runs a command line in this process. `scratch`: for its configuration. */
export async function sluice(
  address: string,
  scratch: string,
  commandLine: readonly string[],
  { env = {}, isTTY = false, answers = [], folder = scratch }: SluiceOptions = {},
) {
  const stdout = new Screen(isTTY);
  const stderr = new Screen(isTTY);
  const pauses: number[] = [];
  const questions: string[] = [];
  const ask = (question: string) => {
    questions.push(question);
    const answer = answers[questions.length - 1] ?? '';
    return typeof answer === 'string' ? Promise.resolve(answer) : answer();
  };
  const code = await run(commandLine, {
    stdout,
    stderr,
    env: {
      ...{ SLUICE_SERVER: address, SLUICE_TOKEN: 'svc_pat_secret', OWNER_KEY: 'svc_own_secret' },
      ...{ XDG_CONFIG_HOME: join(scratch, 'config'), APPDATA: join(scratch, 'config'), ...env },
    },
    folder,
    interactive: isTTY,
    ask,
    askSecret: ask,
    signal: new AbortController().signal,
    pause: (milliseconds) => {
      pauses.push(milliseconds);
      return Promise.resolve();
    },
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  return { code, stdout: stdout.shown, stderr: stderr.shown, pauses, questions };
}
