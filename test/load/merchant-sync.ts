import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { SyncLog } from '@sluice/contracts';
import { call } from '../support/http';
import { type MerchantServer, startMerchantServer } from '../support/merchant-server';
import { launchProcess, type ServerProcess } from '../support/process';
import { startShopServer } from '../support/shop-server';
import { bench, coreWaitSeconds, cpuSeconds, decimals, onServerCore, type Bench } from './bench';
import { residentMemory, resetPeak } from './memory';

/**
 * Runs of the listings module over a large catalogue, by the real process: one that sends everything, then, in a
 * process that was just started, one that finds nothing changed and one that finds one product changed. And how
 * long the hooks of a first run take to a webhook that answers immediately. ONLY=json, woocommerce or webhooks.
 */
const PRODUCTS = 100_000;
const PRODUCTS_TOLD = 10_000;
/** Each so many-th is variable, with three variations. */
const VARIABLE_EVERY = 10;
const offersOf = (products: number) => products + (products / VARIABLE_EVERY) * 2;
const OFFERS = offersOf(PRODUCTS);
const CHANGED = 4_711;
/** What the server's own metric adds to a delay of its event loop. */
const LOOP_RESOLUTION_MS = 10;
const API = '/svc/v1/listings-ads';
const WEBHOOK = '/api/dashboard/v1/listings/webhook';

interface Store {
  readonly name: string;
  /** The settings by which Sluice finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** Gives one simple product another title. */
  change(): Promise<void>;
  close(): Promise<void>;
}

async function jsonLines(folder: string, products = PRODUCTS): Promise<Store> {
  const path = join(folder, `products-${products}.jsonl`);
  const write = (changed?: number) => pipeline(Readable.from(lines(products, changed)), createWriteStream(path));
  await write();
  return {
    name: 'JSON lines in a file',
    env: { PRODUCTS_JSON_URL: `file:${path}`, STORE_CURRENCY: 'USD' },
    change: () => write(CHANGED),
    close: () => Promise.resolve(),
  };
}

/** As a shop writes them: descriptions of some paragraphs of HTML. */
function* lines(products: number, changed?: number): Generator<string> {
  const paragraph = 'Made of <strong>good cotton</strong>, washed &amp; pressed; it keeps its colour. '.repeat(5);
  for (let n = 0; n < products; n += 1) {
    const link = `https://shop.example/products/${n}`;
    const item = (id: string) => ({
      ...{ id, sku: `SKU-${id}`, link, images: [`${link}.jpg`, `${link}-2.jpg`], price: `${10 + (n % 90)}.90` },
      ...{ brand: 'Acme &amp; Co', currency: 'USD', weight: '0.5 kg' },
    });
    const variable = n % VARIABLE_EVERY === VARIABLE_EVERY - 1;
    const product = {
      ...item(String(n)),
      title: `Product ${n} &amp; more${n === changed ? ', new' : ''}`,
      description: `<h2>Product ${n}</h2>\n<p>${paragraph}</p>\n<ul><li>one</li><li>two</li></ul>\n<p>${paragraph}</p>`,
      short_description: `<p>In short: ${n}.</p>`,
      categories: ['Clothing > Shirts &amp; tops'],
      attributes: { Material: 'Cotton' },
      ...(variable && {
        variations: ['Red', 'Green', 'Blue'].map((color) => ({ ...item(`${n}-${color}`), attributes: { color } })),
      }),
    };
    yield `${JSON.stringify(product)}\n`;
  }
}

async function wooCommerce(): Promise<Store> {
  const server = await startShopServer({ products: PRODUCTS, variableEvery: VARIABLE_EVERY });
  return {
    name: 'WooCommerce',
    env: { WOOCOMMERCE_URL: server.url, WOOCOMMERCE_KEY: server.key, WOOCOMMERCE_SECRET: server.secret },
    change: () => {
      server.edit(server.idAt(CHANGED), { name: 'Another title' });
      return Promise.resolve();
    },
    close: () => server.close(),
  };
}

/** What a run did and took. */
interface Run {
  readonly log: SyncLog;
  readonly seconds: number;
  readonly cpu: number;
  /** Seconds for which the main thread could have run and had no core. */
  readonly waited: number;
  /** In MiB, of the server's process. */
  readonly peak: number;
  /** Milliseconds. */
  readonly longestBlock: number;
}

/** A started server with the module on and an account connected. */
class Listings {
  private readonly pid: number;

  private constructor(
    private readonly server: ServerProcess,
    private readonly ownerKey: string,
  ) {
    this.pid = server.child.pid!;
  }

  static async start(dataDir: string, remote: MerchantServer, env: Store['env']): Promise<Listings> {
    const module = { MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads', DATA_DIR: dataDir };
    const server = await onServerCore(() => launchProcess('standalone', { ...remote.env, ...module, ...env })).ready;
    return new Listings(server, readFileSync(join(dataDir, 'owner.key'), 'utf8').trim());
  }

  async connect(remote: MerchantServer): Promise<void> {
    const { authorization_url } = await this.ask<{ authorization_url: string }>('POST', '/connect');
    const back = await remote.consent(authorization_url);
    await call(`${this.server.address}${back.pathname}${back.search}`);
    await this.ask('POST', '/sync/settings', { batch_size: 100 });
  }

  async ask<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return (await this.call<{ data: Data }>(method, `${API}${path}`, body)).data;
  }

  async tell(webhook: string): Promise<void> {
    await this.call('PUT', WEBHOOK, { url: webhook });
  }

  async webhook(): Promise<{ readonly waiting: number; readonly dead: number }> {
    return (await this.call<{ data: { waiting: number; dead: number } }>('GET', WEBHOOK)).data;
  }

  /** Runs a sync to its end; one that does not complete is an error. */
  async sync(): Promise<Run> {
    resetPeak(this.pid);
    await this.longestBlock();
    const [begin, cpuBefore, waitedBefore] = [performance.now(), cpuSeconds(this.pid), coreWaitSeconds(this.pid)];
    const { log_id } = await this.ask<{ log_id: string }>('POST', '/sync/now', {});
    let log: SyncLog;
    do {
      await delay(100);
      log = await this.ask<SyncLog>('GET', `/sync/logs/${log_id}`);
    } while (log.status === 'running');
    const [seconds, cpu] = [(performance.now() - begin) / 1_000, cpuSeconds(this.pid) - cpuBefore];
    const waited = coreWaitSeconds(this.pid) - waitedBefore;
    const peak = this.peak();
    if (log.status !== 'completed') throw new Error(`The run ended as ${JSON.stringify(log)}`);
    return { log, seconds, cpu, waited, peak, longestBlock: await this.longestBlock() };
  }

  /** In MiB, since the last sync began. */
  peak(): number {
    return residentMemory(this.pid).peak;
  }

  stop(): Promise<unknown> {
    return this.server.stop();
  }

  private async call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await call<Body>(`${this.server.address}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.ownerKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  /** Since it was asked last. */
  private async longestBlock(): Promise<number> {
    const metrics = await (await fetch(`${this.server.address}/metrics`)).text();
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics) ?? [];
    return Math.max(0, Number(seconds) * 1_000 - LOOP_RESOLUTION_MS);
  }
}

function expectCounts({ log }: Run, processed: number, skipped: number): void {
  const { items_processed, items_failed, items_skipped, items_deleted } = log;
  const counts = [items_processed, items_failed, items_skipped, items_deleted];
  if (counts.join() === [processed, 0, skipped, 0].join()) return;
  throw new Error(
    `The run processed, refused, skipped and deleted ${counts.join(', ')}, not ${processed}, 0, ${skipped}, 0.`,
  );
}

const told = ({ seconds, cpu, waited, peak, longestBlock }: Run) =>
  `${decimals(seconds)} s (${decimals(cpu)} s of CPU; ${decimals(waited)} s without a core), ` +
  `${decimals(peak)} MiB at most, event loop late by ${decimals(longestBlock)} ms at most`;

async function runsOf(store: Store, { folder, say, judge }: Bench): Promise<void> {
  const remote = await startMerchantServer();
  const dataDir = join(folder, store.name.replaceAll(' ', '-'));
  mkdirSync(dataDir);
  const start = () => Listings.start(dataDir, remote, store.env);
  let listings = await start();
  const sent = () => remote.catalogue.upserted.length;
  try {
    say(store.name);
    await listings.connect(remote);
    const full = await listings.sync();
    expectCounts(full, OFFERS, 0);
    say(`${decimals(OFFERS)} offers sent: ${told(full)}`);

    // In a process of its own: what the first run left behind is not what this one takes.
    await listings.stop();
    listings = await start();
    const before = sent();
    const unchanged = await listings.sync();
    expectCounts(unchanged, 0, OFFERS);
    say(`nothing changed: ${told(unchanged)}`);
    judge('offers sent', sent() - before, '', { atMost: 0 });
    judge('time', unchanged.seconds, 's', { atMost: 60 });
    judge('peak memory', unchanged.peak, 'MiB', { atMost: 512 });

    await store.change();
    const one = await listings.sync();
    expectCounts(one, 1, OFFERS - 1);
    say(`one product changed: ${told(one)}`);
    judge('offers sent', sent() - before, '', { atMost: 1 });
  } finally {
    await listings.stop();
    await remote.close();
    await store.close();
  }
}

/** A first run with a webhook: hooks are sent when an offer is tried, acknowledged and judged. */
async function tellsOf({ folder, say }: Bench): Promise<void> {
  const store = await jsonLines(folder, PRODUCTS_TOLD);
  const remote = await startMerchantServer();
  let requests = 0;
  const receiver = createServer((request, response) => {
    requests += 1;
    request.resume().once('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const dataDir = join(folder, 'webhooks');
  mkdirSync(dataDir);
  const listings = await Listings.start(dataDir, remote, store.env);
  try {
    await listings.connect(remote);
    await listings.tell(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    const begin = performance.now();
    const run = await listings.sync();
    const offers = offersOf(PRODUCTS_TOLD);
    expectCounts(run, offers, 0);
    say('A webhook');
    say(`${decimals(offers)} offers sent: ${told(run)}; ${decimals(requests)} hooks were taken by then`);
    let [seen, left] = [-1, await listings.webhook()];
    // Hooks may still be made of the last events: at rest twice is at rest.
    while (left.waiting > 0 || seen !== requests) {
      seen = requests;
      await delay(2_000);
      left = await listings.webhook();
    }
    const seconds = (performance.now() - begin) / 1_000;
    say(
      `${decimals(requests)} hooks taken ${decimals(seconds)} s after the run began, ` +
        `${decimals(requests / seconds)} a second, ${left.dead} given up; ${decimals(listings.peak())} MiB at most`,
    );
  } finally {
    await listings.stop();
    receiver.close();
    await remote.close();
    await store.close();
  }
}

const CASES: Readonly<Record<string, (tools: Bench) => Promise<void>>> = {
  json: async (tools) => runsOf(await jsonLines(tools.folder), tools),
  woocommerce: async (tools) => runsOf(await wooCommerce(), tools),
  webhooks: tellsOf,
};

void bench('merchant-sync', async (tools) => {
  const only = process.env['ONLY'] ?? Object.keys(CASES).join();
  for (const name of only.split(',')) {
    const run = CASES[name];
    if (run === undefined) throw new Error(`ONLY is "${only}"; it may name ${Object.keys(CASES).join(', ')}.`);
    await run(tools);
  }
});
