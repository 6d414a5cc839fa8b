import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic, Mapping, SyncLog } from '@sluice/contracts';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { type Deployment, standalone } from '../support/deployment';
import { counts, type Listings, listingsOf, type Page } from '../support/listings';
import { type MerchantServer, startMerchantServer } from '../support/merchant-server';

/** A whole run over them takes seconds; what needs one after the other has few. */
const PRODUCTS = 10_000;
const FEW = 500;

/** One process with a catalogue file and a merchant API on loopback. */
function useShop(products: number) {
  let folder: string;
  let remote: MerchantServer;
  let deployment: Deployment;
  let listings: Listings;
  let titles: Map<string, string>;

  /** Writes what the shop lists from now on. */
  const publish = (categoriesOf: (id: string) => readonly string[] = () => []) =>
    writeFile(
      join(folder, 'products.jsonl'),
      [...titles]
        .map(([id, title]) =>
          JSON.stringify({
            ...{ id, type: 'simple', title, description: `All about ${title}.`, price: '19.90' },
            ...{ link: `https://shop.example/${id}`, images: [`https://shop.example/${id}.jpg`] },
            ...{ availability: 'in_stock', brand: 'Acme', currency: 'USD', categories: categoriesOf(id) },
          }),
        )
        .join('\n'),
    );

  beforeAll(async () => {
    folder = temporaryDirectory();
    titles = new Map(Array.from({ length: products }, (_, n) => [String(n + 1), `Product ${n + 1}`]));
    await publish();
    remote = await startMerchantServer();
    deployment = await standalone.deploy({
      ...remote.env,
      ...{ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'on', JOB_LEASE_MS: '3000' },
      ...{ PRODUCTS_JSON_URL: `file:${join(folder, 'products.jsonl')}`, STORE_CURRENCY: 'USD' },
    });
    listings = listingsOf(() => deployment.gateways[0]!, await deployment.ownerKey());
  }, 120_000);

  afterAll(async () => {
    await deployment.destroy();
    await remote.close();
  }, 120_000);

  return {
    publish,
    get listings() {
      return listings;
    },
    get remote() {
      return remote;
    },
    get deployment() {
      return deployment;
    },
    get titles() {
      return titles;
    },
    set titles(listed) {
      titles = listed;
    },
  };
}

const total = (log: SyncLog) => counts(log).reduce((sum, count) => sum + count, 0);

describe('syncs of a large catalogue, from outside', () => {
  const shop = useShop(PRODUCTS);

  it('rejects to sync while no account is connected', async () => {
    expect(await shop.listings.send('POST', '/sync/now', {})).toMatchObject({
      status: 409,
      body: { success: false, data: { code: 'not_connected' } },
    });
    expect(await shop.listings.problems()).toEqual(['not_connected']);
  });

  it('connects', async () => {
    await shop.listings.connect(shop.remote);
    expect(await shop.listings.problems()).toEqual([]);
  }, 60_000);

  it('sends the whole catalogue at first, one run at a time, and finishes what a killed process began', async () => {
    shop.remote.catalogue.review = ({ offerId }) =>
      offerId.endsWith('_7')
        ? {
            status: 'disapproved',
            issues: [{ code: 'image_too_small', severity: 'DISAPPROVED', description: 'The image is too small.' }],
          }
        : { status: 'approved' };
    const id = await shop.listings.begin();
    expect(await shop.listings.send('POST', '/sync/now', {})).toMatchObject({
      status: 409,
      body: { success: false, data: { code: 'sync_already_running' } },
    });
    await eventually(() => shop.remote.catalogue.upserted.length >= 2_000);
    const [killed] = shop.deployment.processes;
    await killed!.stop('SIGKILL');
    await shop.deployment.revive(killed!).ready;

    const log = await shop.listings.ended(id);
    expect(log).toMatchObject({ run_type: 'full', trigger: 'manual', status: 'completed', error_message: null });
    expect(counts(log)).toEqual([PRODUCTS, 0, 0, 0]);
    expect(shop.remote.catalogue.offers.size).toBe(PRODUCTS);
    // concurrency × batch_size: what was under way when the process was killed.
    expect(shop.remote.catalogue.upserted.length - PRODUCTS).toBeLessThanOrEqual(4 * 50);
  }, 300_000);

  it('shows statuses and issues of each offer, and counts them', async () => {
    expect(await shop.listings.mapping('7')).toMatchObject({
      ...{ product_id: '7', listing_status: 'disapproved', failed_attempts: 0 },
      validation_issues: [{ code: 'image_too_small', severity: 'disapproved' }],
    });
    expect(await shop.listings.mapping('8')).toMatchObject({ listing_status: 'approved', validation_issues: [] });
    const disapproved = await shop.listings.get<Page<Mapping>>('/mappings?listing_status=disapproved');
    expect(disapproved.meta.total).toBe(1);
    expect(await shop.listings.get('/overview')).toMatchObject({
      listings: { total: PRODUCTS, approved: PRODUCTS - 1, disapproved: 1, pending: 0, expiring: 0 },
      sync: { running: false, last_run: { status: 'completed' } },
    });
    expect(await shop.listings.send('GET', '/mappings?listing_status=gone')).toMatchObject({
      status: 422,
      body: { data: { errors: { listing_status: [expect.any(String)] } } },
    });
    expect(await shop.listings.send('GET', '/sync/logs/nothing')).toMatchObject({
      status: 404,
      body: { data: { code: 'not_found' } },
    });
  });

  it('sends nothing when nothing changed, and one offer when one product did', async () => {
    const before = shop.remote.catalogue.upserted.length;
    const unchanged = await shop.listings.sync();
    expect(unchanged).toMatchObject({ run_type: 'incremental', status: 'completed' });
    expect(counts(unchanged)).toEqual([0, 0, PRODUCTS, 0]);
    shop.titles.set('42', 'Another title');
    await shop.publish();
    expect(counts(await shop.listings.sync())).toEqual([1, 0, PRODUCTS - 1, 0]);
    expect(shop.remote.catalogue.upserted.length).toBe(before + 1);
  }, 120_000);
});

describe('syncs, from outside', () => {
  const shop = useShop(FEW);

  beforeAll(async () => {
    shop.remote.catalogue.review = () => ({ status: 'approved' });
    await shop.listings.connect(shop.remote);
    expect(counts(await shop.listings.sync())).toEqual([FEW, 0, 0, 0]);
  }, 60_000);

  it('sends one product when one is asked for, and rejects what it can’t understand', async () => {
    expect(counts(await shop.listings.sync({ product_id: '5' }))).toEqual([1, 0, 0, 0]);
    for (const body of [{ run_type: 'single' }, { run_type: 'some' }, { run_type: 'full', product_id: '5' }]) {
      expect(await shop.listings.send('POST', '/sync/now', body)).toMatchObject({ status: 422 });
    }
    const { items } = await shop.listings.get<Page<SyncLog>>('/sync/logs?per_page=1');
    expect(items).toMatchObject([{ run_type: 'single', details: { product_id: '5' } }]);
  }, 60_000);

  it('deletes what left the store, and nothing when the store shrinks to nothing', async () => {
    shop.titles.delete('1');
    await shop.publish();
    expect(counts(await shop.listings.sync())).toEqual([0, 0, FEW - 1, 1]);
    const all = shop.titles;
    shop.titles = new Map();
    await shop.publish();
    const emptied = await shop.listings.sync();
    expect(emptied.status).not.toBe('completed');
    expect(emptied.items_deleted).toBe(0);
    expect(shop.remote.catalogue.offers.size).toBe(FEW - 1);
    shop.titles = all;
    await shop.publish();
  }, 120_000);

  it.each([
    ['a daily quota', { on: 'batch', with: 'daily_quota' }, 'partial'],
    ['an interface that has ended', { on: 'batch', with: 'sunset' }, 'failed'],
    ['a merchant API that is unavailable', { on: 'batch', with: 'unavailable' }, 'failed'],
  ] as const)(
    'ends at %s, and the next run repairs it',
    async (_, fault, status) => {
      shop.titles.set('10', `Product 10 before ${fault.with}`);
      await shop.publish();
      shop.remote.fail(fault);
      const log = await shop.listings.sync();
      expect(log).toMatchObject({ status, error_message: expect.any(String), items_processed: 0, items_deleted: 0 });
      shop.remote.repair();
      const mended = await shop.listings.sync();
      expect(mended).toMatchObject({ status: 'completed', items_processed: 1 });
      expect(total(mended)).toBe(shop.titles.size);
    },
    120_000,
  );

  it('reports offers that Google lost, and a repair restores them', async () => {
    expect(await shop.listings.mapping('20')).toMatchObject({ listing_status: 'approved' });
    const forgotten = [...shop.remote.catalogue.offers].find(([, { offerId }]) => offerId.endsWith('_20'));
    shop.remote.catalogue.offers.delete(forgotten![0]);
    await shop.listings.sync();
    expect(await shop.listings.mapping('20')).toMatchObject({ listing_status: 'pending' });
    expect(await shop.listings.problems()).toEqual(['missing_remote_offers']);
    expect(await shop.listings.send('POST', '/diagnostics/repair', { checks: ['nothing'] })).toMatchObject({
      status: 422,
    });
    const dry = await shop.listings.send<{ log_id: null }>('POST', '/diagnostics/repair', { dry_run: true });
    expect(dry).toMatchObject({ status: 200, body: { data: { log_id: null, repairs: [{ count: 1 }] } } });
    const repaired = await shop.listings.send<{ log_id: string }>('POST', '/diagnostics/repair', {});
    const log = await shop.listings.ended(repaired.body.data.log_id);
    expect(log).toMatchObject({ trigger: 'repair', status: 'completed', items_processed: 1 });
    expect(await shop.listings.problems()).toEqual([]);
  }, 120_000);

  it('reports category mappings that name no category of the shop, or several, until they are corrected', async () => {
    const save = async (...names: string[]) => {
      const category_mappings = names.map((source_category) => ({ source_category, google_product_category: '212' }));
      expect(await shop.listings.send('POST', '/feed/settings', { category_mappings })).toMatchObject({ status: 200 });
    };
    const found = async () => {
      const { checks } = await shop.listings.get<{ checks: Diagnostic[] }>('/diagnostics');
      return checks.find(({ id }) => id === 'category_unknown');
    };
    await shop.publish((id) => [`${Number(id) % 2 === 0 ? 'Goods' : 'Sale'} > ${id === '2' ? 'Mugs' : 'Hats'}`]);
    await save('Mugs', 'Hats', 'Goods > Cups');
    expect(await shop.listings.sync()).toMatchObject({ status: 'completed', items_processed: shop.titles.size });
    expect(await found()).toMatchObject({ status: 'warning', tried: true, count: 2, repairable: false });
    expect((await found())?.message).toMatch(/no category "Goods > Cups"\..*have the name "Hats"\./);
    const { items } = await shop.listings.get<{ items: Record<string, unknown>[] }>('/feed/preview?limit=4');
    expect(items.map((item) => item['google_product_category'])).toEqual(['212', undefined, undefined, undefined]);

    await save('Mugs', 'Goods > Hats');
    expect(await found()).toMatchObject({ status: 'ok', count: 0 });
    await shop.listings.sync();
    expect(await shop.listings.problems()).toEqual([]);
  }, 120_000);
});
