import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { makeFeed, previewFeed, saveFeedSettings, type Caller } from '@sluice/contracts';
import { type Engines, openEngines } from '@sluice/engines';
import { startService } from '@sluice/service-host/start-service';
import type { RunningService } from '@sluice/service-host';
import { newCommandId, systemClock } from '@sluice/kernel';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory, recordingLogger } from '@sluice/testing';
import { merchantSyncSettings } from '../config/merchant-sync.settings';
import { startShopServer, type ShopServer } from '../../../test/support/shop-server';
import { merchantSync } from '../merchant-sync.service';
import { FeedSweep } from './feed-sweep';

describe('the feed, over the bus and from a store', () => {
  let dataDir: string;
  let store: ShopServer;
  let engines: Engines;
  let service: RunningService;

  const caller = (): Caller => ({ actor: 'owner:1', commandId: newCommandId() });
  const preview = (part: { limit?: number; offset?: number } = {}) =>
    engines.messaging.request(previewFeed, part, caller(), { timeoutMs: 60_000 });
  const make = (format: 'rss' | 'tsv') =>
    engines.messaging.request(makeFeed, { format }, caller(), { timeoutMs: 60_000 });

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    const module = { MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads', SOURCE_RETRY_BASE_MS: '1' };
    engines = await openEngines(readSettings({ DATA_DIR: dataDir, ...module, ...env }, merchantSyncSettings), 'test');
    service = await startService(merchantSync, engines, () => 'https://sluice.example', createLogger('silent'));
  }
  async function stop(): Promise<void> {
    await service.stop();
    await engines.close();
  }
  async function contentOf(key: string): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of await engines.objects.get(key)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  beforeEach(async () => {
    dataDir = temporaryDirectory();
    store = await startShopServer({ products: 20, variableEvery: 10 });
    await start({ WOOCOMMERCE_URL: store.url, WOOCOMMERCE_KEY: store.key, WOOCOMMERCE_SECRET: store.secret });
  });
  afterEach(async () => {
    await stop();
    await store.close();
  });

  it('previews what is listed and what is not, without a connection', async () => {
    store.edit(store.idAt(0), { stock_status: 'outofstock' });
    const { items, excluded, next_offset } = await preview();
    expect(items).toHaveLength(17 + 6);
    expect(items[0]).toMatchObject({
      id: 'svc_110',
      product_id: '110',
      variation_id: null,
      title: 'Product 1 & more',
      description: 'All about product 1.',
      price: '11.01 USD',
      product_type: ['Clothing > Shirts & tops'],
    });
    expect(items.find(({ id }) => id === 'svc_191')).toMatchObject({
      title: 'Product 9 & more - Red',
      item_group_id: 'svc_190',
      color: 'Red',
      material: 'Cotton',
    });
    expect(excluded).toEqual([
      { product_id: '100', variation_id: null, reasons: [expect.stringContaining('out of stock')] },
    ]);
    expect(next_offset).toBeNull();
  });

  it('excludes a product that can’t be parsed, and gives the reason', async () => {
    store.edit(store.idAt(3), { regular_price: { amount: 5 } });
    const { items, excluded } = await preview();
    expect(items).toHaveLength(17 + 6);
    expect(excluded).toEqual([
      { product_id: '130', variation_id: null, reasons: [expect.stringContaining('regular_price')] },
    ]);
    const { objectKey } = await make('tsv');
    expect((await contentOf(objectKey)).trimEnd().split('\n')).toHaveLength(1 + 23);
  });

  it('previews by the settings as they are now', async () => {
    await engines.messaging.request(saveFeedSettings, { include_variations: false }, caller());
    expect((await preview()).items).toHaveLength(20);
  });

  it('previews in parts, none too large for the bus, that add up to the whole', async () => {
    for (let index = 0; index < 20; index += 1) {
      store.edit(store.idAt(index), { description: `<p>${'😀'.repeat(6_000)}</p>` });
    }
    const whole: string[] = [];
    let parts = 0;
    for (let offset: number | null = 0; offset !== null; parts += 1) {
      const part = await preview({ limit: 500, offset });
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(300 * 1024);
      whole.push(...part.items.map(({ id }) => id));
      offset = part.next_offset;
    }
    expect(parts).toBeGreaterThan(1);
    expect(new Set(whole).size).toBe(24);
    expect(whole).toHaveLength(24);
    expect((await preview({ limit: 3 })).next_offset).toBe(3);
    expect(await preview({ limit: 3, offset: 24 })).toEqual({ items: [], excluded: [], next_offset: null });
  });

  it('writes the file into the object store', async () => {
    const { objectKey, filename, size } = await make('tsv');
    const text = await contentOf(objectKey);
    expect([filename, size]).toEqual(['products.tsv', Buffer.byteLength(text)]);
    expect(text.trimEnd().split('\n')).toHaveLength(1 + 24);
    const rss = await make('rss');
    expect(rss.filename).toBe('products.xml');
    expect((await contentOf(rss.objectKey)).match(/<item>/g)).toHaveLength(24);
  });

  it('is made once for concurrent requests with the same format and settings', async () => {
    const keys = async (...asked: ReturnType<typeof make>[]) =>
      (await Promise.all(asked)).map(({ objectKey }) => objectKey);
    const [first, second, other] = await keys(make('rss'), make('rss'), make('tsv'));
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    const [later] = await keys(make('rss'));
    expect(later).not.toBe(first);
    const before = make('rss');
    await engines.messaging.request(saveFeedSettings, { include_variations: false }, caller());
    const [, now = ''] = await keys(before, make('rss'));
    expect((await contentOf(now)).match(/<item>/g)).toHaveLength(20);
  });

  it('leaves no file when the shop breaks off, and names the fault', async () => {
    store.fail({ kind: 'status', status: 500 }, { at: /variations/, times: 99 });
    await expect(make('rss')).rejects.toMatchObject({ code: 'store_unavailable' });
    const kept: string[] = [];
    for await (const { key } of engines.objects.list('feeds/')) kept.push(key);
    expect(kept).toEqual([]);
  });

  it('wants a store', async () => {
    await stop();
    await start({});
    await expect(preview()).rejects.toMatchObject({ code: 'store_not_configured' });
    await expect(make('rss')).rejects.toMatchObject({ code: 'store_not_configured' });
  });

  it('is rejected while the module is off', async () => {
    await stop();
    await start({ MODULE_ENABLED_LISTINGS_ADS: 'off' });
    await expect(preview()).rejects.toMatchObject({ code: 'module_disabled' });
  });

  it('goes by age', async () => {
    const [old, fresh] = [await make('rss'), await make('tsv')];
    const hourAgo = new Date(Date.now() - 3_700_000);
    await utimes(join(dataDir, 'objects', old.objectKey), hourAgo, hourAgo);
    await writeFile(join(dataDir, 'objects', 'other'), 'kept');
    await utimes(join(dataDir, 'objects', 'other'), hourAgo, hourAgo);
    expect(await new FeedSweep(engines.objects, systemClock, recordingLogger()).sweep()).toBe(1);
    expect(await engines.objects.stat(old.objectKey)).toBeUndefined();
    expect(await engines.objects.stat(fresh.objectKey)).toBeDefined();
    expect(await engines.objects.stat('other')).toBeDefined();
  });
});
