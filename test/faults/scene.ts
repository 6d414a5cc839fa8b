import type { Deployment } from '../support/deployment';
import { Acknowledgements, Client, sendToAny, type Credentials, type Send } from './client';
import { compare, compareBytes } from './comparison';
import { Fact } from './fact';
import { Ledger, type TokenState } from './ledger';
import type { Random } from './random';
import { release, type Release } from './release';
import { reportFromDevices, type Reporters } from './reporters';
import { say } from './run';
import { settle } from './settle';
import { watchDevices, type DeviceWatch } from './watch';
import { Writer } from './writer';

/** What deployments under fault tests are set to. */
export const FAULT_SETTINGS = {
  APP_LIMIT: '1000000',
  JOB_LEASE_MS: '2000',
  JOB_RETRY_DELAYS_MS: '50,100,200',
  JOB_CONTENT_RETRY_DELAYS_MS: '10,20,40',
};

/** For tests that kill few workers: it is renewed in time on any machine. */
export const LONG_LEASE = { JOB_LEASE_MS: '10000' };

const WRITERS = 6;

/** Writers at work. */
export interface Load {
  /** Waits for the condition. Rejects as soon as a writer saw what must not be. */
  until<T>(condition: Promise<T>): Promise<T>;
  /** Lets each writer end its call. Rejects when one saw what must not be. */
  stop(): Promise<void>;
}

/** An installation with writers and a ledger of their responses. */
export class Scene {
  readonly ledger = new Ledger();
  readonly acknowledgements = new Acknowledgements();
  private readonly writers: Writer[];

  private constructor(
    readonly deployment: Deployment,
    private readonly credentials: Credentials,
    private readonly send: (random: Random) => Send,
    random: Random,
  ) {
    this.writers = Array.from({ length: WRITERS }, (_, index) => {
      const own = random.fork();
      return new Writer(`w${index}`, this.client(own), this.ledger, own);
    });
  }

  /**
   * On an installation that is new and without fault.
   * @param send which way the calls of a writer take; otherwise that of sendToAny
   */
  static async open(
    deployment: Deployment,
    random: Random,
    send = (own: Random) => sendToAny(deployment, 'gateways', own),
  ): Promise<Scene> {
    const ownerKey = await deployment.ownerKey();
    const state: TokenState = { name: 'writers', permissions: ['manage'], all_apps: true, status: 'active' };
    const owner = new Client(send(random), { token: '', ownerKey }, new Acknowledgements());
    const fact = new Fact<TokenState>('The token of the writers');
    const made = await fact.change(
      state,
      owner.asOwner<{ data: { id: number; token: string } }>('/tokens', { ...state, status: undefined }),
    );
    if (!made) throw new Error('The token of the writers was not made.');
    const { id, token } = made.data;
    const scene = new Scene(deployment, { token, ownerKey }, send, random);
    scene.ledger.tokens.push({ fact, name: state.name, id, secret: token });
    await scene
      .client(random)
      .post('/apps', { name: 'Contested', bundle_id: scene.ledger.contest.bundleId, platform: 'ios' });
    return scene;
  }

  client(random: Random): Client {
    return new Client(this.send(random), this.credentials, this.acknowledgements);
  }

  startLoad(): Load {
    const stopping = new AbortController();
    const running = Promise.all(this.writers.map((writer) => writer.run(stopping.signal)));
    running.catch(() => stopping.abort());
    const inspect = () => this.inspectLogs();
    return {
      until: (condition) => Promise.race([condition, running.then(() => condition)]),
      async stop() {
        stopping.abort();
        await running;
        inspect();
      },
    };
  }

  /** @throws Error when a process has met an unhandled rejection */
  inspectLogs(): void {
    const lines = this.deployment.processes.flatMap(({ log }) => log);
    const rejection = lines.find((line) => line.includes('Unhandled promise rejection'));
    if (rejection !== undefined) throw new Error(rejection);
  }

  /** See {@link release}; the ledger knows nothing of it. */
  release(name: string): Promise<Release> {
    return release(this.deployment, this.credentials, name);
  }

  /** See {@link watchDevices}; the ledger knows nothing of it. */
  watchDevices(): Promise<DeviceWatch> {
    return watchDevices(this.deployment, this.credentials);
  }

  /** See {@link reportFromDevices}; the ledger knows nothing of it. */
  reportFromDevices(random: Random, send = sendToAny(this.deployment, 'devices', random)): Promise<Reporters> {
    return reportFromDevices(this.deployment, this.credentials, send, random);
  }

  /** See {@link settle}; what has not recovered in a minute needs a hand. */
  settle(withinMs = 60_000): Promise<void> {
    return settle(this.deployment, this.credentials, withinMs);
  }

  /** See {@link compare}; every process is to live by now. */
  async compare(): Promise<void> {
    try {
      await compare(this.deployment, this.ledger, this.credentials);
    } finally {
      for (const { name, child, log } of this.deployment.processes) {
        if (child.exitCode === null && child.signalCode === null) continue;
        const end = child.signalCode ?? child.exitCode ?? '';
        say(`The process ${name} ended by itself with ${end}:\n${log.slice(-20).join('\n')}`);
      }
    }
  }

  /** See {@link compareBytes}. */
  compareBytes(): Promise<number> {
    return compareBytes(this.deployment, this.ledger);
  }
}
