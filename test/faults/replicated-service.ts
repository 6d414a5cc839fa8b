import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expectDescribed } from '../support/conformity';
import type { ServerProcess } from '../support/process';
import { outcomeOf, type Send } from './client';

/** Fewer than there are callers: none is idle for long, as behind a proxy. */
const CONNECTIONS = 4;
const PROBE_MS = 50;
/** No answer for so long is a hang. */
const PATIENCE_MS = 60_000;

/**
 * The replicas of a service as Kubernetes shows them to a client. A new connection goes to one of those that said that
 * they are ready; one that is open stays with its replica, whatever becomes of that, until either side ends it. No
 * request is sent twice.
 */
export class ReplicatedService {
  private readonly ready: ServerProcess[] = [];
  private readonly agent: Agent;
  private turn = 0;

  constructor() {
    this.agent = new (class extends Agent {
      constructor(private readonly open: () => Socket) {
        super({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
      }

      override createConnection(): Socket {
        return this.open();
      }
    })(() => this.connect());
  }

  /** Opens connections to the replica once it says that it is ready. */
  async admit(replica: ServerProcess): Promise<void> {
    while ((await fetch(`${replica.address}/health/ready`)).status !== 200) await delay(PROBE_MS);
    this.ready.push(replica);
  }

  /** Opens no more. */
  withdraw(replica: ServerProcess): void {
    this.ready.splice(this.ready.indexOf(replica), 1);
  }

  /** @throws Error for whatever is not expected */
  readonly send: Send = async (path, init, expected) => {
    const what = `${init.method ?? 'GET'} ${path}`;
    const { method, headers, body } = await encoded(path, init);
    const sent = request({ agent: this.agent, method, path, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    sent.end(body);
    let response: IncomingMessage;
    let received: string;
    try {
      [response] = (await once(sent, 'response')) as [IncomingMessage];
      received = await text(response);
    } catch (cause) {
      throw new Error(`${what} got no answer.`, { cause });
    }
    const status = response.statusCode!;
    const parsed = received === '' ? undefined : (JSON.parse(received) as unknown);
    expectDescribed(method, `http://service${path}`, status, parsed);
    const outcome = outcomeOf({ status, headers: new Headers(), body: parsed }, expected);
    if (!outcome) throw new Error(`${what} answered ${status} ${received}.`);
    return outcome;
  };

  close(): void {
    this.agent.destroy();
  }

  private connect(): Socket {
    const replica = this.ready[(this.turn += 1) % this.ready.length]!;
    const { hostname, port } = new URL(replica.address);
    return connect(Number(port), hostname);
  }
}

/** With a form as the bytes that it is sent as. */
async function encoded(path: string, init: RequestInit) {
  const described = new Request(`http://service${path}`, init);
  const body = Buffer.from(await described.arrayBuffer());
  const headers = { ...Object.fromEntries(described.headers), 'content-length': body.length };
  return { method: described.method, headers, body };
}
