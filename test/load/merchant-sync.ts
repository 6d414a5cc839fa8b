import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { SyncLog } from '@sluice/contracts';
import { call } from '../support/http';
import { type MerchantServer, startMerchantServer } from '../support/merchant-server';
import { launchProcess, type ServerProcess } from '../support/process';
import { startStoreServer } from '../support/store-server';
import { bench, cpuSeconds, decimals, onServerCore, type Bench } from './bench';
import { residentMemory, resetPeak } from './memory';

/**
 * Runs of the listings module over a large catalogue, by the real process: one that sends everything, one
 * that finds nothing changed, and one that finds one product changed.
 */
const PRODUCTS = 100_000;
/** Each so many-th is variable, with three variations. */
const VARIABLE_EVERY = 10;
const OFFERS = PRODUCTS + (PRODUCTS / VARIABLE_EVERY) * 2;
const CHANGED = 4_711;
/** What the server's own metric adds to a delay of its event loop. */
const LOOP_RESOLUTION_MS = 10;
const API = '/svc/v1/listings-ads';

interface Store {
  readonly name: string;
  /** The settings by which Sluice finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** Gives one simple product another title. */
  change(): Promise<void>;
  close(): Promise<void>;
}

async function jsonLines(folder: string): Promise<Store> {
  const path = join(folder, 'products.jsonl');
  const write = (changed?: number) => pipeline(Readable.from(lines(changed)), createWriteStream(path));
  await write();
  return {
    name: 'JSON lines in a file',
    env: { PRODUCTS_JSON_URL: `file:${path}`, STORE_CURRENCY: 'USD' },
    change: () => write(CHANGED),
    close: () => Promise.resolve(),
  };
}

/** As a shop writes them: descriptions of some paragraphs of HTML. */
function* lines(changed?: number): Generator<string> {
  const paragraph = 'Made of <strong>good cotton</strong>, washed &amp; pressed; it keeps its colour. '.repeat(5);
  for (let n = 0; n < PRODUCTS; n += 1) {
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
  const server = await startStoreServer({ products: PRODUCTS, variableEvery: VARIABLE_EVERY });
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
    mkdirSync(dataDir);
    const module = { MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads', DATA_DIR: dataDir };
    const server = await onServerCore(() => launchProcess('standalone', { ...remote.env, ...module, ...env })).ready;
    const listings = new Listings(server, readFileSync(join(dataDir, 'owner.key'), 'utf8').trim());
    const { authorization_url } = await listings.ask<{ authorization_url: string }>('POST', '/connect');
    const back = await remote.consent(authorization_url);
    await call(`${server.address}${back.pathname}${back.search}`);
    await listings.ask('POST', '/sync/settings', { batch_size: 100 });
    return listings;
  }

  async ask<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const answer = await call<{ data: Data; message: string }>(`${this.server.address}${API}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.ownerKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.body.message}`);
    return answer.body.data;
  }

  /** Runs a sync to its end; one that does not complete is an error. */
  async sync(): Promise<Run> {
    resetPeak(this.pid);
    await this.longestBlock();
    const [begin, cpuBefore] = [performance.now(), cpuSeconds(this.pid)];
    const { log_id } = await this.ask<{ log_id: string }>('POST', '/sync/now', {});
    let log: SyncLog;
    do {
      await delay(100);
      log = await this.ask<SyncLog>('GET', `/sync/logs/${log_id}`);
    } while (log.status === 'running');
    const [seconds, cpu] = [(performance.now() - begin) / 1_000, cpuSeconds(this.pid) - cpuBefore];
    const { peak } = residentMemory(this.pid);
    if (log.status !== 'completed') throw new Error(`The run ended as ${JSON.stringify(log)}`);
    return { log, seconds, cpu, peak, longestBlock: await this.longestBlock() };
  }

  stop(): Promise<unknown> {
    return this.server.stop();
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

const told = ({ seconds, cpu, peak, longestBlock }: Run) =>
  `${decimals(seconds)} s (${decimals(cpu)} s of CPU), ${decimals(peak)} MiB at most, ` +
  `event loop blocked for ${decimals(longestBlock)} ms at most`;

async function runsOf(store: Store, { folder, say, judge }: Bench): Promise<void> {
  const remote = await startMerchantServer();
  const listings = await Listings.start(join(folder, store.name.replaceAll(' ', '-')), remote, store.env);
  const sent = () => remote.catalogue.upserted.length;
  try {
    say(store.name);
    const full = await listings.sync();
    expectCounts(full, OFFERS, 0);
    say(`${decimals(OFFERS)} offers sent: ${told(full)}`);

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

void bench('merchant-sync', async (tools) => {
  await runsOf(await jsonLines(tools.folder), tools);
  await runsOf(await wooCommerce(), tools);
});
