import type { SyncLog } from '@sluice/contracts';
import { standalone, type Deployment } from '../support/deployment';
import { counts, listingsOf, type Listings } from '../support/listings';
import { type Fault, type MerchantServer, startMerchantServer } from '../support/merchant-server';
import { startShopServer, type StoreFault, type ShopServer } from '../support/shop-server';

/** Two pages of the store; each tenth product has three variations. */
const PRODUCTS = 110;
const OFFERS = 99 + 11 * 3;
const BATCH = 10;
/** Enough repeats to outlive faults that pass, and few enough to give up soon. */
const MAX_RETRIES = 2;
const FOREVER = 1_000;

describe.each(['merchant_api_v1', 'content_api_v21'])('a sync over %s', (adapter) => {
  let store: ShopServer;
  let remote: MerchantServer;
  let deployment: Deployment;
  let listings: Listings;
  let edition = 0;

  /** Ids of the first simple products, so many. */
  const simple = (count: number) =>
    Array.from({ length: PRODUCTS }, (_, index) => index)
      .filter((index) => index % 10 !== 9)
      .slice(0, count)
      .map((index) => store.idAt(index));
  const edit = (count: number) => {
    edition += 1;
    for (const id of simple(count)) store.edit(id, { name: `Edition ${edition} of ${id}` });
  };

  interface Done {
    readonly log: SyncLog;
    /** Distinct offers that the merchant API accepted during the run, and those that it removed. */
    readonly taken: number;
    readonly removed: number;
  }

  /** A run, held to what holds of every one. */
  async function run(body?: object): Promise<Done> {
    const { catalogue } = remote;
    const [upserted, removed] = [catalogue.upserted.length, catalogue.removed.length];
    const log = await listings.sync(body);
    const done = {
      log,
      taken: new Set(catalogue.upserted.slice(upserted)).size,
      removed: catalogue.removed.length - removed,
    };
    // The log agrees with the state at the merchant API.
    expect([log.items_processed, log.items_deleted]).toEqual([done.taken, done.removed]);
    expect(log.completed_at).not.toBeNull();
    expect(log.error_message === null).toBe(log.status === 'completed');
    return done;
  }

  /** The run that follows a fault that is over: all that was left undone is done, and nothing else. */
  async function mends(left: number): Promise<void> {
    remote.repair();
    const { log } = await run();
    expect([log.status, ...counts(log)]).toEqual(['completed', left, 0, OFFERS - left, 0]);
    expect(remote.catalogue.offers.size).toBe(OFFERS);
    for (const id of simple(25)) expect(titleOf(id)).toContain(`Edition ${edition} of`);
    const again = await run();
    expect([again.log.status, ...counts(again.log)]).toEqual(['completed', 0, 0, OFFERS, 0]);
    expect(await listings.problems()).toEqual([]);
  }
  const titleOf = (id: number) => String(remote.catalogue.offer(`svc_${id}`)?.attributes['title']);

  beforeAll(async () => {
    store = await startShopServer({ products: PRODUCTS });
    remote = await startMerchantServer();
    deployment = await standalone.deploy({
      ...remote.env,
      ...{ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'on', REMOTE_CATALOG: adapter },
      ...{ WOOCOMMERCE_URL: store.url, WOOCOMMERCE_KEY: store.key, WOOCOMMERCE_SECRET: store.secret },
      ...{ SOURCE_RETRY_BASE_MS: '1', SOURCE_TIMEOUT_MS: '500', REMOTE_TIMEOUT_MS: '1000' },
    });
    const ownerKey = await deployment.ownerKey();
    listings = listingsOf(() => deployment.gateways[0]!, ownerKey);
    await listings.connect(remote);
    const settings = { batch_size: BATCH, concurrency: 1, max_retries: MAX_RETRIES };
    expect(await listings.send('POST', '/sync/settings', settings)).toMatchObject({ status: 200 });
    edit(25);
    const { log } = await run();
    expect([log.run_type, log.status, ...counts(log)]).toEqual(['full', 'completed', OFFERS, 0, 0, 0]);
  }, 120_000);

  afterAll(async () => {
    await deployment.destroy();
    await Promise.all([remote.close(), store.close()]);
  }, 120_000);

  beforeEach(() => {
    remote.repair();
    store.repair();
    store.count = PRODUCTS;
    remote.catalogue.forgets = () => false;
  });

  it.each<[string, Fault]>([
    ['requests that come too fast', { on: 'batch', with: 'rate', times: 2 }],
    ['offers that come too fast', { on: 'offer', with: 'rate', times: 15 }],
    ['a merchant API that is unavailable for a moment', { on: 'batch', with: 'unavailable', times: 2 }],
    ['one that does not answer', { on: 'batch', with: 'hang', times: 1 }],
    ['an access token that is over', { on: 'batch', with: 'unauthorized', times: 1 }],
    ['statuses that can not be read for a moment', { on: 'statuses', with: 'unavailable', times: 2 }],
  ])('outlives %s', async (_, fault) => {
    edit(25);
    remote.fail(fault);
    await mends(25);
  });

  it('waits as long as the merchant API requires', async () => {
    edit(25);
    remote.fail({ on: 'batch', with: 'rate', times: 1, retryAfterSeconds: 1 });
    const begun = performance.now();
    const { log } = await run();
    expect(performance.now() - begun).toBeGreaterThan(990);
    expect([log.status, ...counts(log)]).toEqual(['completed', 25, 0, OFFERS - 25, 0]);
    await mends(0);
  });

  it.each<[string, Fault, SyncLog['status'], string]>([
    ['the daily quota', { on: 'batch', with: 'daily_quota', after: 1 }, 'partial', 'remote_quota_exceeded'],
    [
      'a merchant API that becomes unavailable',
      { on: 'batch', with: 'unavailable', after: 1 },
      'partial',
      'remote_unavailable',
    ],
    ['one that answers no more', { on: 'batch', with: 'hang', after: 1 }, 'partial', 'remote_unavailable'],
    ['too many items', { on: 'batch', with: 'too_many_items', after: 1 }, 'partial', 'offers_refused'],
    ['an account that is closed', { on: 'batch', with: 'forbidden', after: 1 }, 'failed', 'forbidden'],
    ['an interface that ends', { on: 'batch', with: 'sunset', after: 1 }, 'failed', 'remote_api_sunset'],
  ])('ends in the middle at %s', async (_, fault, status, code) => {
    edit(25);
    remote.fail(fault);
    const { log } = await run();
    expect([log.status, log.details['code']]).toEqual([status, code]);
    expect([log.items_processed, log.items_deleted]).toEqual([BATCH, 0]);
    expect(remote.catalogue.offers.size).toBe(OFFERS);
    await mends(15);
  });

  it('ends as partial where the statuses can not be read', async () => {
    edit(25);
    remote.fail({ on: 'statuses', with: 'unavailable' });
    const { log } = await run();
    expect([log.status, log.details['code'], ...counts(log)]).toEqual([
      ...['partial', 'remote_unavailable'],
      ...[25, 0, OFFERS - 25, 0],
    ]);
    await mends(0);
  });

  it('reports which half of a batch was rejected, and sends that half again', async () => {
    edit(25);
    const refused = new Set(simple(25).filter((_, index) => index % 2 === 0));
    remote.fail({ on: 'offer', with: 'refused', offers: (offerId) => refused.has(Number(offerId.slice(4))) });
    const { log } = await run();
    expect([log.status, ...counts(log)]).toEqual(['partial', 25 - refused.size, refused.size, OFFERS - 25, 0]);
    expect(log.details['failures']).toHaveLength(refused.size);
    for (const id of refused) {
      expect(await listings.mapping(String(id))).toMatchObject({ failed_attempts: 1, last_error: expect.any(String) });
    }
    await mends(refused.size);
  });

  it('reports acknowledged offers that are missing, until they are there', async () => {
    edit(25);
    await mends(25);
    const id = store.idAt(PRODUCTS);
    store.count = PRODUCTS + 1;
    remote.catalogue.forgets = (offerId) => offerId === `svc_${id}`;
    // It may only be slow: the run that sent it does not judge.
    expect((await run()).log).toMatchObject({ status: 'completed', items_processed: 1 });
    expect(await listings.mapping(String(id))).toMatchObject({ listing_status: 'pending' });
    expect(await listings.problems()).toEqual([]);
    expect((await run()).log).toMatchObject({ status: 'completed', items_processed: 0 });
    expect(await listings.mapping(String(id))).toMatchObject({ listing_status: 'pending' });
    expect(await listings.problems()).toEqual(['missing_remote_offers']);
    expect((await run()).log).toMatchObject({ status: 'completed', items_processed: 1 });
    expect(await listings.problems()).toEqual(['missing_remote_offers']);
    remote.catalogue.forgets = () => false;
    expect((await run()).log).toMatchObject({ status: 'completed', items_processed: 1 });
    expect(await listings.mapping(String(id))).toMatchObject({ listing_status: 'approved' });
    store.count = PRODUCTS;
    expect((await run()).log).toMatchObject({ status: 'completed', items_deleted: 1 });
    await mends(0);
  });

  it('fails when the grant is revoked, rejects the next run until the shop is connected again, and then continues', async () => {
    edit(25);
    remote.fail({ on: 'batch', with: 'unauthorized', after: 1 });
    remote.fail({ on: 'token', with: 'invalid_grant' });
    const { log } = await run();
    expect([log.status, log.details['code'], log.items_processed]).toEqual(['failed', 'reauth_required', BATCH]);
    expect(remote.catalogue.offers.size).toBe(OFFERS);
    expect(await listings.send('POST', '/sync/now', {})).toMatchObject({
      status: 409,
      body: { data: { code: 'reauth_required' } },
    });
    expect(await listings.problems()).toEqual(['refresh_failed']);
    remote.repair();
    await listings.connect(remote);
    await mends(15);
  });

  it.each<[string, StoreFault, RegExp, string]>([
    ['breaks', { kind: 'status', status: 500 }, /products\?.*offset=99/, 'source_unavailable'],
    ['is cut off', { kind: 'cut' }, /products\?.*offset=99/, 'source_unavailable'],
    ['says nothing', { kind: 'silence' }, /products\?.*offset=99/, 'source_timeout'],
    ['is being maintained', { kind: 'noise' }, /products\?.*offset=99/, 'source_malformed'],
    ['takes the key no longer', { kind: 'status', status: 401 }, /products\?.*offset=99/, 'source_unauthorized'],
    ['has lost its variations', { kind: 'status', status: 503 }, /products\/1190\/variations/, 'source_unavailable'],
  ])('sends what it read of a store that %s, and deletes nothing', async (_, fault, at, code) => {
    edit(25);
    store.fail(fault, { at, times: FOREVER });
    const { log } = await run();
    expect([log.status, log.details['code'], log.items_processed]).toEqual(['partial', code, 25]);
    expect(log.items_failed + log.items_deleted).toBe(0);
    store.repair();
    await mends(0);
  });

  it('leaves the offer of a product that makes no sense alone, and deletes what else is gone', async () => {
    const [first, second] = simple(2) as [number, number];
    store.edit(first, { regular_price: { amount: 5 } });
    store.edit(second, { status: 'draft' });
    const { log } = await run();
    expect([log.status, ...counts(log)]).toEqual(['completed', 0, 0, OFFERS, 1]);
    expect(JSON.stringify(log.details['exclusions'])).toContain(`products/${first} answered otherwise`);
    expect(await listings.get('/feed/preview?limit=1')).toMatchObject({ excluded: [{ product_id: String(first) }] });
    store.edit(first, { regular_price: '11.00' });
    store.edit(second, { status: 'publish' });
    await mends(2);
  });

  it.each([
    ['is empty', 0, 'source_empty'],
    ['lists less than max_delete_ratio asks for', 40, 'max_delete_ratio'],
  ])('deletes nothing of a store that %s', async (_, left, code) => {
    store.count = left;
    const { log } = await run();
    expect([log.status, log.details['code'], log.items_deleted]).toEqual(['partial', code, 0]);
    expect(remote.catalogue.offers.size).toBe(OFFERS);
    expect(await listings.problems()).toEqual(['orphan_mappings']);
    store.count = PRODUCTS;
    await mends(0);
  });

  it('takes back later what it could not take back', async () => {
    // The eleven last products are nine simple ones and two with three variations.
    store.count = PRODUCTS - 11;
    remote.fail({ on: 'batch', with: 'unavailable' });
    const { log } = await run();
    expect([log.status, log.details['code']]).toEqual(['failed', 'remote_unavailable']);
    expect([log.items_deleted, log.items_skipped]).toEqual([0, OFFERS - 15]);
    remote.repair();
    remote.fail({ on: 'offer', with: 'refused', offers: (offerId) => offerId === `svc_${store.idAt(PRODUCTS - 2)}` });
    const refused = await run();
    expect([refused.log.status, ...counts(refused.log)]).toEqual(['partial', 0, 1, OFFERS - 15, 14]);
    remote.repair();
    const done = await run();
    expect([done.log.status, ...counts(done.log)]).toEqual(['completed', 0, 0, OFFERS - 15, 1]);
    expect(remote.catalogue.offers.size).toBe(OFFERS - 15);
    store.count = PRODUCTS;
    await mends(15);
  });
});
