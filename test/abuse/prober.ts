import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerParent } from './child';

/** Sends update checks at a steady pace, whatever becomes of the earlier ones, and measures each. */
export type ProberRequest =
  | { readonly open: { readonly address: string; readonly apiKey: string } }
  | { readonly milliseconds: number }
  | { readonly close: true };

export interface Probed {
  readonly checks: number;
  /** Milliseconds, from when a check was due to the last byte of its response. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** 99th percentile of the delay of the prober's own event loop, in milliseconds: what the numbers may owe to it. */
  readonly ownDelay: number;
}

const PER_SECOND = 200;
const BEAT_MS = 5;
const CONNECTIONS = 8;
/** Addresses that the checks come from, so that the limit of one is not met. */
const ADDRESSES = 64;
/** A check that is not answered by then fails the run. */
const PATIENCE_MS = 60_000;

let lines: Line[] = [];
let apiKey = '';
let asked = 0;

/** One keep-alive connection with one check at a time. */
class Line {
  private received = '';
  private done: ((fault?: Error) => void) | undefined;

  constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => this.take(text));
    socket.on('error', (error) => this.done?.(error));
    socket.once('close', () => this.done?.(new Error('The server ended a connection that update checks come by.')));
  }

  get free(): boolean {
    return this.done === undefined;
  }

  check(n: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) {
        reject(new Error('The server had ended a connection that update checks come by.'));
        return;
      }
      this.done = (fault) => {
        this.done = undefined;
        if (fault) reject(fault);
        else resolve();
      };
      this.socket.write(
        'GET /api/v1/updates/check?channel=production HTTP/1.1\r\nHost: updates\r\n' +
          `X-Forwarded-For: 198.51.100.${n % ADDRESSES}\r\nX-API-Key: ${apiKey}\r\nX-Device-ID: probe-${n}\r\n` +
          'X-Platform: ios\r\nX-Current-Version: 0.9.0\r\n\r\n',
      );
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(text: string): void {
    this.received += text;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.received)?.[1]);
    if (this.received.length < headEnd + 4 + length) return;
    const response = this.received;
    this.received = '';
    const right = response.startsWith('HTTP/1.1 200 ') && response.includes('"available":true');
    this.done?.(right ? undefined : new Error(`An update check was answered with ${response}`));
  }
}

async function open(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const sockets = Array.from({ length: CONNECTIONS }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  lines = sockets.map((socket) => new Line(socket));
  // The first ones pay for what is made but once.
  await measure(500);
}

async function measure(milliseconds: number): Promise<Probed> {
  const latencies: number[] = [];
  const waiting: { readonly n: number; readonly due: number }[] = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const wanted = Math.round((milliseconds * PER_SECOND) / 1_000);
  const begin = performance.now();
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    const fail = (fault: unknown) => {
      clearInterval(beat);
      clearTimeout(patience);
      reject(fault instanceof Error ? fault : new Error(String(fault)));
    };
    const patience = setTimeout(
      () => fail(new Error(`An update check had no response within ${PATIENCE_MS / 1_000} s.`)),
      milliseconds + PATIENCE_MS,
    );
    const give = () => {
      while (waiting.length > 0) {
        const at = lines.findIndex(({ free }) => free);
        if (at < 0) return;
        // In turn: one that is never used is ended by the server in the end, as a silent one.
        const [line] = lines.splice(at, 1) as [Line];
        lines.push(line);
        const next = waiting.shift()!;
        line.check(next.n).then(() => {
          latencies.push(performance.now() - next.due);
          if (latencies.length === wanted) {
            clearTimeout(patience);
            resolve();
          } else give();
        }, fail);
      }
    };
    const beat = setInterval(() => {
      const now = performance.now();
      const due = Math.min(wanted, Math.floor(((now - begin) * PER_SECOND) / 1_000));
      for (; sent < due; sent += 1) waiting.push({ n: asked++, due: now });
      if (sent === wanted) clearInterval(beat);
      give();
    }, BEAT_MS);
    loop.enable();
  });
  loop.disable();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? NaN;
  return { checks: wanted, p50: at(0.5), p99: at(0.99), max: at(1), ownDelay: loop.percentile(99) / 1e6 };
}

answerParent(async (request: ProberRequest) => {
  if ('open' in request) {
    ({ apiKey } = request.open);
    await open(request.open.address);
  } else if ('close' in request) {
    for (const line of lines) line.close();
    lines = [];
  } else {
    return measure(request.milliseconds);
  }
  return undefined;
});
