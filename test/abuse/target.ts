import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

/** What attackers have of an installation, and how much of it they are given is for each attack to say. */
export interface Scene {
  readonly address: string;
  /** Of the first owner. */
  readonly operatorKey: string;
  /** Access tokens of the first owner for all its apps. Each has limits of its own, so each round takes new ones. */
  readonly tokens: readonly string[];
  /** Of a second owner, who has nothing yet. */
  readonly tenantKey: string;
  /** An app with a few builds, and what is in its installs. */
  readonly app: number;
  readonly build: number;
  readonly bundleId: string;
  readonly apiKey: string;
  /** Path and query of a signed address of `LARGE_BUNDLE_BYTES`. */
  readonly download: string;
  /** An app with thousands of events in its channel production. */
  readonly busyApp: number;
}

export const LARGE_BUNDLE_BYTES = 8 * 1024 * 1024;

/** What one attack did, and what the server said to it. */
export interface Tally {
  /** Connections that said what they liked. */
  readonly sockets: number;
  /** How many responses of each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that ended without a response. */
  readonly broken: number;
  readonly largestBytes: number;
}

export interface Attack {
  readonly name: string;
  readonly does: string;
  /** Of the server, where they are not those that it is shipped with. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Each of these must have come from the server, when all rounds are over. */
  readonly wants?: readonly number[];
  /** The largest response that it may get. */
  readonly atMostBytes?: number;
  /** What the server's heap may have more of after the last round than after the first, once its garbage is collected. */
  readonly mostGrowthMiB?: number;
  /** Error lines that the server may log meanwhile. */
  readonly logs?: RegExp;
  /** Before each round: tokens and the like, that the attack has already. */
  prepare?(target: Target): Promise<void> | void;
  /** Attacks until the signal aborts; ends by itself after `MAX_REQUESTS`. */
  run(target: Target, signal: AbortSignal): Promise<void>;
  /** After the last round. @throws Error that says what is not as before */
  check?(target: Target): Promise<void>;
}

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The address that a proxy names. Without it: loopback. */
  readonly from?: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text or bytes: sent as they are; an object: as JSON. */
  readonly body?: string | Buffer | object;
  /** In place of a body: the fields of a form, and its file. */
  readonly form?: { readonly fields: Readonly<Record<string, string>>; readonly file: Buffer };
}

export interface Heard {
  readonly status: number;
  readonly text: string;
}

/** Of one lane of one round. */
const MAX_REQUESTS = 100_000;
/** After one without a response. */
const PAUSE_MS = 5;

/** An installation under attack, in one round. */
export class Target {
  private static tokensTaken = 0;
  private readonly statuses: Record<string, number> = {};
  private opened = 0;
  private broken = 0;
  private largestBytes = 0;
  private readonly pools = new Set<Pool>();
  private readonly sockets = new Set<Socket>();
  private state: number;

  constructor(
    readonly scene: Scene,
    /** From 0. */
    readonly round: number,
    seed: number,
  ) {
    this.state = (seed + round) >>> 0;
  }

  tally(): Tally {
    return { sockets: this.opened, statuses: this.statuses, broken: this.broken, largestBytes: this.largestBytes };
  }

  /** From 0 to 1, the same in each run with the same seed (mulberry32). */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  whole(below: number): number {
    return Math.floor(this.random() * below);
  }

  /** Letters that no compression and no cache helps with. */
  text(length: number): string {
    let text = '';
    while (text.length < length) text += this.whole(2 ** 32).toString(36);
    return text.slice(0, length);
  }

  /** So many connections of this attack's own. */
  pool(connections: number): (sent: Sent, signal?: AbortSignal) => Promise<Heard> {
    const pool = new Pool(this.scene.address, { connections, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
    this.pools.add(pool);
    return (sent, signal) => this.send(pool, sent, signal);
  }

  /** A connection that says what it likes; what comes on it counts by its status lines. */
  socket(options: { readonly reads: boolean } = { reads: true }): Socket {
    const { hostname, port } = new URL(this.scene.address);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    this.sockets.add(socket);
    this.opened += 1;
    socket.on('error', () => (this.broken += 1)).once('close', () => this.sockets.delete(socket));
    if (options.reads) {
      socket.setEncoding('latin1').on('data', (text: string) => {
        for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) this.count(status!);
      });
    }
    return socket;
  }

  /**
   * Does it over and over in so many lanes until the signal aborts.
   * @param paceMs what each lane waits between two
   */
  async repeat(signal: AbortSignal, lanes: number, once: (n: number) => Promise<unknown>, paceMs = 0): Promise<void> {
    let n = 0;
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let left = MAX_REQUESTS; left > 0 && !signal.aborted; left -= 1) {
          const pause = await once(n++).then(
            () => paceMs,
            () => Math.max(paceMs, PAUSE_MS),
          );
          if (pause > 0) await delay(pause, undefined, { signal }).catch(() => undefined);
        }
      }),
    );
  }

  /** One that no other attack or round has had. @throws Error when there is none left */
  token(): string {
    const token = this.scene.tokens[Target.tokensTaken++];
    if (token === undefined) throw new Error('More access tokens are wanted than the scene has.');
    return token;
  }

  /** An app that this token has made. */
  async newApp(token: string): Promise<number> {
    const body = { name: `App ${randomUUID()}` };
    const made = await this.prepared<{ data: { id: number } }>({
      ...{ method: 'POST', path: '/api/public/v1/apps', bearer: token, body },
    });
    return made.data.id;
  }

  /** What must succeed and is no part of the attack. @throws Error with another answer than 2xx */
  async prepared<Body>(sent: Sent): Promise<Body> {
    const { method = 'GET', path } = sent;
    const { headers, body } = messageOf(sent);
    const response = await fetch(this.scene.address + path, {
      ...{ method, headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : Uint8Array.from(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`);
    return (text.startsWith('{') ? JSON.parse(text) : text) as Body;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all([...this.pools].map((pool) => pool.destroy()));
  }

  private async send(pool: Pool, sent: Sent, signal?: AbortSignal): Promise<Heard> {
    const { method = 'GET', path } = sent;
    try {
      const response = await pool.request({ method, path, ...messageOf(sent), ...(signal && { signal }) });
      this.count(response.statusCode);
      const text = await response.body.text();
      this.largestBytes = Math.max(this.largestBytes, text.length);
      return { status: response.statusCode, text };
    } catch (error) {
      if (signal?.aborted !== true) this.broken += 1;
      throw error;
    }
  }

  private count(status: number | string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

function messageOf({ from, bearer, headers, body, form }: Sent): {
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
} {
  const type = form === undefined ? 'application/json' : 'multipart/form-data; boundary=b';
  const sent = form === undefined ? body : multipart(form);
  return {
    headers: {
      ...(from !== undefined && { 'X-Forwarded-For': from }),
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      ...(sent !== undefined && { 'Content-Type': type }),
      ...headers,
    },
    ...(sent !== undefined && {
      body: typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : JSON.stringify(sent),
    }),
  };
}

function multipart({ fields, file }: NonNullable<Sent['form']>): Buffer {
  const part = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`);
  const head = texts.join('') + part('file', '; filename="bundle.zip"');
  return Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]);
}

/** What a check was not satisfied with. @throws Error unless it holds */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
