import { once } from 'node:events';
import { join } from 'node:path';
import { createProjections, type Projections } from '@sluice/projections';
import { type DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { createCommandHandling, type CommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock, UnavailableError } from '@sluice/kernel';
import { eventually, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { categorySteps, mappingOf, resolveCategories } from '../products/domain/categories';
import type { CategoryMapping, FeedSettings } from '../products/domain/feed-settings';
import type { Mapped } from '../products/domain/map-product';
import { merchant, type MerchantCommand, merchantStream, STORE_ID } from '../settings/domain/merchant';
import type { Offer, OfferRef } from '../products/domain/offer';
import type { ShopProduct } from '../products/domain/product';
import type { RunType } from './domain/runs';
import { syncRunStream, type SyncRunEvent } from './domain/sync-run';
import type { SyncSettings } from './domain/sync-settings';
import { projections as all } from '../projections';
import { mappingRows, type MappingRow, mappingsProjection } from './mappings.projection';
import { type SyncLogRow, syncLogRows, syncLogsProjection } from './sync-logs.projection';
import { type Outcome, type RemoteCatalog, RemoteError, type RemoteStatus } from '../remotes/remote-catalog';
import { Misfit, type ProductSource, SourceError } from '../sources/product-source';
import { SyncRunWorker, type SyncContext } from './sync-run-worker';

const firstValues = { enabled: true, entitled: true };
const DAY = 86_400_000;

/** A product of these tests: its id, what its only offer is, and the offers of its variations in place of that. */
interface Stocked {
  title: string;
  variations?: string[];
  listable?: boolean;
  /** Why it can't be understood. */
  misfit?: string;
  /** Why it is not listable. */
  reasons?: string[];
  categories?: string[];
}

describe('the runs of a store', () => {
  let dataDir: string;
  let events: EventStore;
  let documents: DocumentStore;
  let projections: Projections;
  let commands: CommandHandling;
  let workers: SyncRunWorker[];
  /** The shop, by product id. */
  let stock: Map<string, Stocked>;
  /** What replaces the end of the listing. */
  let cutOff: SourceError | undefined;
  let mappings: readonly CategoryMapping[];
  let country: string;
  /** The remote catalogue, by offer id; of the last country alone. */
  let remote: Map<string, { offer: Offer; expiresAt: string | null }>;
  let calls: { upserts: string[][]; removals: string[][] };
  let remove: (offers: readonly OfferRef[]) => Promise<readonly Outcome[]>;
  let beforeStatuses: () => Promise<unknown>;
  let upsert: (offers: readonly Offer[], signal: AbortSignal) => Promise<readonly Outcome[]>;
  let now: number;
  const clock = { now: () => new Date(now), monotonic: () => systemClock.monotonic() };

  const source: ProductSource = {
    kind: 'json',
    async *categories() {
      for (const { categories = [] } of stock.values()) yield* categories;
      if (cutOff !== undefined) throw cutOff;
      await Promise.resolve();
    },
    async *products() {
      for (const [id, product] of stock) {
        yield product.misfit === undefined
          ? ({ id, ...product } as unknown as ShopProduct)
          : new Misfit(id, product.misfit);
      }
      if (cutOff !== undefined) throw cutOff;
      await Promise.resolve();
    },
    product: (id) => Promise.resolve(stock.has(id) ? ({ id, ...stock.get(id) } as unknown as ShopProduct) : undefined),
  };

  function map(product: ShopProduct): Mapped {
    const stocked = product as unknown as Stocked & { id: string };
    const { id, title, variations, listable = true, reasons = ['No price.'] } = stocked;
    const offer = (variationId: string | null): Offer => ({
      ...{ offerId: `shop_${variationId ?? id}`, productId: id, variationId },
      ...{ targetCountry: country, contentLanguage: 'en', channel: 'online' },
      attributes: { title, ...(variationId !== null && { itemGroupId: id }) } as Offer['attributes'],
    });
    if (!listable) return { offers: [], exclusions: [{ productId: id, variationId: null, reasons }] };
    return { offers: (variations ?? [null]).map(offer), exclusions: [] };
  }

  /** As the real one does: an offer's category is that of its product. */
  const openMap: SyncContext['openMap'] = async (paths, findUnknown) => {
    const categories = await resolveCategories(mappings, paths, { toText: (html) => html, findUnknown });
    return {
      categories,
      map: (product) => {
        const { offers, exclusions } = map(product);
        const mapping = mappingOf(((product as Partial<ShopProduct>).categories ?? []).map(categorySteps), categories);
        const category = mapping && { googleProductCategory: mapping.google_product_category };
        return { offers: offers.map((o) => ({ ...o, attributes: { ...o.attributes, ...category } })), exclusions };
      },
    };
  };

  const remoteIdOf = ({ offerId, targetCountry }: Pick<Offer, 'offerId' | 'targetCountry'>) =>
    `online~en~${targetCountry}~${offerId}`;

  const catalog: RemoteCatalog = {
    adapter: 'merchant_api_v1',
    maxBatch: 100,
    accounts: () => Promise.resolve([]),
    prepare: () => Promise.resolve(),
    upsert: async (_, offers, { signal }) => {
      calls.upserts.push(offers.map(({ offerId }) => offerId));
      return upsert(offers, signal);
    },
    remove: (_, offers) => {
      calls.removals.push(offers.map(({ offerId }) => offerId));
      return remove(offers);
    },
    async *statuses() {
      await beforeStatuses();
      yield [...remote.values()].map(({ offer, expiresAt }): RemoteStatus => ({
        ...{ offerId: offer.offerId, remoteProductId: remoteIdOf(offer), listingStatus: 'approved' },
        ...{ issues: [], expiresAt },
      }));
      await Promise.resolve();
    },
  };

  const takeBack = (offers: readonly OfferRef[]): Promise<Outcome[]> => {
    for (const { offerId, targetCountry } of offers) if (targetCountry === country) remote.delete(offerId);
    return Promise.resolve(acknowledged(offers));
  };
  const acknowledged = (offers: readonly OfferRef[]): Outcome[] =>
    offers.map((offer) => ({ offerId: offer.offerId, acknowledged: true, remoteProductId: remoteIdOf(offer) }));

  const take = (offers: readonly Offer[]): Promise<Outcome[]> => {
    for (const offer of offers) remote.set(offer.offerId, { offer, expiresAt: new Date(now + 30 * DAY).toISOString() });
    return Promise.resolve(acknowledged(offers));
  };

  function startWorker(reading: Projections = projections): SyncRunWorker {
    const worker = new SyncRunWorker({
      ...{ commands, projections: reading, clock, firstValues },
      readStore: documents,
      state: documents,
      settings: { jobLeaseMs: 300, stopGraceMs: 2_000 },
      syncContexts: {
        open: () =>
          Promise.resolve({
            ...{ source, openMap, remote: catalog, email: 'owner@shop.example', connectionId: 'c' },
            access: {
              accountId: '1',
              accessToken: () => Promise.resolve('t'),
              refused: () => Promise.reject(new Error()),
            },
          }),
      },
      logger: recordingLogger(),
    });
    worker.start();
    workers.push(worker);
    return worker;
  }

  const context = () => ({ commandId: newCommandId(), actor: 'owner:1' });
  const command = (order: MerchantCommand) => commands.handle(merchant, merchantStream(STORE_ID), order, context());
  const settings = (changes: Partial<SyncSettings>) => command({ type: 'SaveSyncSettings', changes, firstValues });
  const feed = (changes: Partial<FeedSettings>) => command({ type: 'SaveFeedSettings', changes, firstValues });

  async function begin(runType?: RunType, productId?: string): Promise<string> {
    const runId = newUlid();
    now += 1_000;
    await command({
      ...{ type: 'StartRun', runId, runType, productId, trigger: 'manual', firstValues, offerPrefix: 'shop' },
      now: clock.now().toISOString(),
    });
    for (const worker of workers) worker.wake();
    return runId;
  }

  const log = (runId: string) => documents.view(syncLogsProjection.name, syncLogRows).get(runId);

  async function ended(runId: string): Promise<SyncLogRow> {
    return eventually(async () => {
      const { current } = (await commands.load(merchant, merchantStream(STORE_ID))).state.runs;
      const row = await log(runId);
      return row !== undefined && row.status !== 'running' && current?.runId !== runId && row;
    });
  }

  async function sync(runType?: RunType, productId?: string): Promise<SyncLogRow> {
    calls = { upserts: [], removals: [] };
    return ended(await begin(runType, productId));
  }

  async function typesOf(runId: string): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of events.readStream(syncRunStream(runId))) types.push(type);
    return types;
  }

  const rows = () => documents.view(mappingsProjection.name, mappingRows).find();
  const row = async (offerId: string): Promise<MappingRow | undefined> =>
    (await rows()).find((found) => found.offer_id === offerId);
  const sent = () => calls.upserts.flat().sort();
  const removed = () => calls.removals.flat().sort();
  const counts = ({ items_processed, items_failed, items_skipped, items_deleted }: SyncLogRow) => [
    ...[items_processed, items_failed, items_skipped, items_deleted],
  ];

  beforeEach(async () => {
    dataDir = temporaryDirectory();
    events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(dataDir, 'read.db') });
    projections = createProjections({ events, documents, projections: all, waitMs: 2_000, logger: recordingLogger() });
    await projections.start();
    commands = createCommandHandling({
      ...{ store: events, clock },
      visible: (stream, position) => projections.visible(stream, position),
    });
    workers = [];
    now = Date.parse('2026-03-01T12:00:00.000Z');
    stock = new Map([1, 2, 3, 4].map((id) => [String(id), { title: `Product ${id}` }]));
    cutOff = undefined;
    mappings = [];
    country = 'US';
    remote = new Map();
    upsert = take;
    remove = takeBack;
    beforeStatuses = () => Promise.resolve();
    const connection = { id: 'c', connectedAt: '2026-02-01T00:00:00.000Z', adapter: 'merchant_api_v1', scopes: [] };
    await command({ type: 'Connect', connection: { ...connection, adapter: 'merchant_api_v1' }, firstValues });
    await settings({ batch_size: 2 });
    startWorker();
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await projections.close();
    await documents.close();
    await events.close();
  });

  it('send everything at first, then nothing, then the one that changed', async () => {
    stock.set('5', { title: 'Without a price', listable: false });
    const first = await sync();
    expect(first).toMatchObject({ run_type: 'full', status: 'completed', error_message: null });
    expect(counts(first)).toEqual([4, 0, 1, 0]);
    expect(calls.upserts.every((batch) => batch.length === 2)).toBe(true);

    const second = await sync();
    expect(second).toMatchObject({ run_type: 'incremental', status: 'completed' });
    expect(counts(second)).toEqual([0, 0, 5, 0]);
    expect(sent()).toEqual([]);

    stock.set('2', { title: 'Another title' });
    expect(counts(await sync())).toEqual([1, 0, 4, 0]);
    expect(sent()).toEqual(['shop_2']);
    expect(await row('shop_2')).toMatchObject({
      ...{ product_id: '2', listing_status: 'approved', remote_product_id: 'online~en~US~shop_2' },
      ...{ failed_attempts: 0, sync_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(counts(await sync('full'))).toEqual([4, 0, 1, 0]);
  });

  it('map a name the same whatever the order of products, and record names of no category or of several', async () => {
    const place = (...placed: [id: string, category: string][]) => {
      stock = new Map(placed.map(([id, category]) => [id, { title: `Product ${id}`, categories: [category] }]));
    };
    const mapped = () => [...remote].map(([id, { offer }]) => [id, offer.attributes.googleProductCategory]).sort();
    mappings = ['Mugs', 'Hats', 'Goods > Cups'].map((source_category, index) => ({
      source_category,
      google_product_category: String(index),
    }));
    place(['1', 'Goods > Mugs'], ['2', 'Clothing > Hats'], ['3', 'Sale > Hats']);
    expect(await sync()).toMatchObject({
      status: 'completed',
      details: { unknown_categories: ['Goods > Cups'], ambiguous_categories: ['Hats'] },
    });
    const expected = [
      ['shop_1', '0'],
      ['shop_2', undefined],
      ['shop_3', undefined],
    ];
    expect(mapped()).toEqual(expected);

    place(['3', 'Sale > Hats'], ['2', 'Clothing > Hats'], ['1', 'Goods > Mugs']);
    expect(counts(await sync())).toEqual([0, 0, 3, 0]);
    const single = await sync('single', '2');
    expect(single.details).not.toHaveProperty('unknown_categories');
    expect(mapped()).toEqual(expected);

    place(['1', 'Goods > Mugs'], ['2', 'Clothing > Hats'], ['3', 'Goods > Cups']);
    expect(await sync()).toMatchObject({ details: { unknown_categories: [], ambiguous_categories: [] } });
    expect(mapped()).toEqual([
      ['shop_1', '0'],
      ['shop_2', '1'],
      ['shop_3', '2'],
    ]);
  });

  it('send and delete nothing when the categories that names need can not be read to their end', async () => {
    await sync();
    mappings = [{ source_category: 'Mugs', google_product_category: '1' }];
    stock.delete('1');
    stock.set('2', { title: 'Another title', categories: ['Goods > Mugs'] });
    cutOff = new SourceError('truncated', 'The listing ended before the count that it announced.');
    const log = await sync();
    expect(log).toMatchObject({ status: 'partial', details: { code: 'source_truncated' } });
    expect(log.details).not.toHaveProperty('unknown_categories');
    expect([sent(), removed()]).toEqual([[], []]);
  });

  it('record the first names of many unknown categories', async () => {
    mappings = Array.from({ length: 30 }, (_, index) => ({
      source_category: `Category ${index}`,
      google_product_category: '1',
    }));
    expect((await sync()).details['unknown_categories']).toHaveLength(20);
  });

  it('delete what left the store and what became unlistable', async () => {
    await sync();
    stock.delete('1');
    stock.set('2', { title: 'Product 2', listable: false });
    const log = await sync();
    expect(log.status).toBe('completed');
    expect(counts(log)).toEqual([0, 0, 3, 2]);
    expect(removed()).toEqual(['shop_1', 'shop_2']);
    expect(await row('shop_1')).toMatchObject({ live: false });
    stock.set('1', { title: 'Product 1' });
    expect(counts(await sync())).toEqual([1, 0, 3, 0]);
    expect(await row('shop_1')).toMatchObject({ live: true, failed_attempts: 0 });
  });

  it('delete nothing when more is gone than max_delete_ratio allows, and say so', async () => {
    await sync();
    for (const id of ['1', '2', '3']) stock.delete(id);
    const log = await sync();
    expect(log).toMatchObject({ status: 'partial', error_message: expect.stringContaining('max_delete_ratio') });
    expect(counts(log)).toEqual([0, 0, 1, 0]);
    expect(remote.size).toBe(4);
    await settings({ max_delete_ratio: 1 });
    expect(counts(await sync())).toEqual([0, 0, 1, 3]);
  });

  it.each<[string, Partial<SyncSettings>]>([
    ['every deletion is allowed', { max_delete_ratio: 1 }],
    ['nothing is to be deleted anyway', { delete_missing: false }],
  ])('delete nothing of a store that lists nothing and say so, also where %s', async (_, changes) => {
    await sync();
    await settings(changes);
    stock.clear();
    for (const runType of ['incremental', 'full'] as const) {
      const log = await sync(runType);
      expect(log).toMatchObject({ status: 'partial', details: { code: 'source_empty', undeleted: 4 } });
      expect(log.error_message).toContain('The shop lists no products.');
      expect(counts(log)).toEqual([0, 0, 0, 0]);
    }
    expect(removed()).toEqual([]);
    expect(remote.size).toBe(4);
  });

  it('complete for a store that is empty and never had offers, and believe it of a single product', async () => {
    const full = new Map(stock);
    stock.clear();
    expect(await sync()).toMatchObject({ status: 'completed' });
    stock = full;
    await sync();
    stock.clear();
    expect(counts(await sync('single', '1'))).toEqual([0, 0, 0, 1]);
  });

  it('end as partial after a listing that broke off, also where there was nothing to send', async () => {
    await sync();
    stock.delete('1');
    cutOff = new SourceError('truncated', 'The listing ended before the count that it announced.');
    const log = await sync();
    expect(log).toMatchObject({ status: 'partial', details: { code: 'source_truncated' } });
    expect(counts(log)).toEqual([0, 0, 3, 0]);
  });

  it('delete nothing when every id of the shop is another, whatever the run has just added', async () => {
    await sync();
    stock = new Map([5, 6, 7, 8, 9].map((id) => [String(id), { title: `Product ${id}` }]));
    const log = await sync();
    expect(log).toMatchObject({ status: 'partial', error_message: expect.stringContaining('4 of 4 offers') });
    expect(counts(log)).toEqual([5, 0, 0, 0]);
    expect(removed()).toEqual([]);
  });

  it('delete nothing after a listing that broke off, nor where delete_missing is off', async () => {
    await sync();
    stock.delete('1');
    stock.set('2', { title: 'Another title' });
    cutOff = new SourceError('truncated', 'The listing ended before the count that it announced.');
    const log = await sync();
    expect(log).toMatchObject({ status: 'partial', details: { code: 'source_truncated' } });
    expect(counts(log)).toEqual([1, 0, 2, 0]);
    cutOff = undefined;
    await settings({ delete_missing: false });
    expect(await sync()).toMatchObject({ status: 'completed', details: { undeleted: 1 } });
    expect(removed()).toEqual([]);
    expect(remote.size).toBe(4);
  });

  it('leave the offers of a product that can not be understood as they are, tell why, and delete others', async () => {
    stock.set('1', { title: 'Product 1', variations: ['1a', '1b'] });
    await sync();
    stock.set('1', { title: 'Another title', misfit: 'Product 1 of the listing is wrong: price.' });
    stock.delete('2');
    const log = await sync();
    expect(log).toMatchObject({
      status: 'completed',
      details: {
        excluded: 1,
        exclusions: [{ productId: '1', variationId: null, reasons: ['Product 1 of the listing is wrong: price.'] }],
        undeleted: 0,
      },
    });
    expect(counts(log)).toEqual([0, 0, 3, 1]);
    expect(removed()).toEqual(['shop_2']);
    expect([...remote.keys()].sort()).toEqual(['shop_1a', 'shop_1b', 'shop_3', 'shop_4']);
    stock.set('1', { title: 'Another title', variations: ['1a'] });
    expect(counts(await sync())).toEqual([1, 0, 2, 1]);
    expect([sent(), removed()]).toEqual([['shop_1a'], ['shop_1b']]);
  });

  it('take back the offer of a simple product that became variable, whatever delete_missing says', async () => {
    await sync();
    await settings({ delete_missing: false });
    stock.set('1', { title: 'Product 1', variations: ['11', '12'] });
    const log = await sync();
    expect(counts(log)).toEqual([2, 0, 3, 1]);
    expect(removed()).toEqual(['shop_1']);
    expect([...remote.keys()].sort()).toEqual(['shop_11', 'shop_12', 'shop_2', 'shop_3', 'shop_4']);
    stock.set('1', { title: 'Product 1' });
    await settings({ delete_missing: true });
    expect(counts(await sync('single', '1'))).toEqual([1, 0, 0, 2]);
  });

  it('note what is refused, try it again in the next runs, and leave it alone in the end', async () => {
    await settings({ max_retries: 1 });
    upsert = async (offers) => {
      const taken = await take(offers.filter(({ offerId }) => offerId !== 'shop_3'));
      const refused = {
        offerId: 'shop_3',
        acknowledged: false,
        code: 'invalid',
        message: 'No image.',
        passing: false,
      } as const;
      return offers.some(({ offerId }) => offerId === 'shop_3') ? [...taken, refused] : taken;
    };
    const log = await sync();
    expect(log).toMatchObject({ status: 'partial', details: { failures: [{ offer: 'shop_3', code: 'invalid' }] } });
    expect(counts(log)).toEqual([3, 1, 0, 0]);
    expect(await row('shop_3')).toMatchObject({
      ...{ failed_attempts: 1, last_error: 'invalid: No image.', sync_hash: null, listing_status: 'pending' },
    });
    expect(counts(await sync())).toEqual([0, 1, 3, 0]);
    expect(counts(await sync())).toEqual([0, 0, 4, 0]);
    stock.set('3', { title: 'Another title' });
    upsert = take;
    expect(counts(await sync())).toEqual([1, 0, 3, 0]);
    expect(await row('shop_3')).toMatchObject({ failed_attempts: 0, last_error: null });
  });

  it('reject the offers of a request that is rejected as a whole, and continue', async () => {
    upsert = (offers) =>
      offers.some(({ offerId }) => offerId === 'shop_1')
        ? Promise.reject(new RemoteError('refused', 'No such thing.', { reason: 'badRequest' }))
        : take(offers);
    expect(counts(await sync())).toEqual([2, 2, 0, 0]);
    expect(await row('shop_1')).toMatchObject({ last_error: 'badRequest: No such thing.', failed_attempts: 1 });
  });

  it('try again however often it was no fault of the offer that it was not taken', async () => {
    await settings({ max_retries: 0 });
    upsert = async (offers) => {
      const [first, ...others] = offers;
      const late = { acknowledged: false, code: 'unavailable', message: 'Later.', passing: true } as const;
      return [...(await take([first!])), ...others.map(({ offerId }) => ({ offerId, ...late }))];
    };
    expect(counts(await sync('full'))).toEqual([2, 2, 0, 0]);
    expect(await row('shop_4')).toMatchObject({ failed_attempts: 1, last_error: 'unavailable: Later.' });
    expect(counts(await sync())).toEqual([1, 1, 2, 0]);
    expect(await row('shop_4')).toMatchObject({ failed_attempts: 2, item_failures: 0 });
    upsert = take;
    expect(counts(await sync())).toEqual([1, 0, 3, 0]);
  });

  it.each([
    ['daily_quota', 'partial', 'remote_quota_exceeded'],
    ['sunset', 'failed', 'remote_api_sunset'],
    ['reauth_required', 'failed', 'reauth_required'],
    ['unavailable', 'failed', 'remote_unavailable'],
    ['timeout', 'failed', 'remote_unavailable'],
  ] as const)('end at the fault %s as %s, and the next run repairs it', async (fault, status, code) => {
    upsert = () => Promise.reject(new RemoteError(fault, 'Google said no.'));
    const log = await sync();
    expect(log).toMatchObject({ status, details: { code }, error_message: 'Google said no.' });
    upsert = take;
    expect(counts(await sync())).toEqual([4, 0, 0, 0]);
  });

  it('continue with deletions and statuses after an offer that fails alone in its batch, and give it up in the end', async () => {
    await settings({ max_retries: 1 });
    await sync();
    stock.set('1', { title: 'Another title' });
    stock.delete('2');
    beforeStatuses = jest.fn(() => Promise.resolve());
    upsert = (offers) =>
      Promise.resolve(
        offers.map(({ offerId }) => ({
          ...{ offerId, acknowledged: false, code: 'unavailable', message: 'Backend error.', passing: false },
        })),
      );
    const log = await sync();
    expect(log).toMatchObject({
      status: 'partial',
      details: { code: 'offers_refused', failures: [{ offer: 'shop_1', code: 'unavailable' }] },
    });
    expect(counts(log)).toEqual([0, 1, 2, 1]);
    expect(beforeStatuses).toHaveBeenCalled();
    expect(await row('shop_1')).toMatchObject({ failed_attempts: 1, last_error: 'unavailable: Backend error.' });
    expect(counts(await sync())).toEqual([0, 1, 2, 0]);
    expect(await row('shop_1')).toMatchObject({ failed_attempts: 2, item_failures: 2 });
    expect(counts(await sync())).toEqual([0, 0, 3, 0]);
  });

  it.each([
    ['answered by none', () => Promise.reject(new RemoteError('unavailable', 'Away.'))],
    [
      'answered with a fault for every offer',
      (offers: readonly Offer[]) =>
        Promise.resolve(
          offers.map(({ offerId }) => ({
            ...{ offerId, acknowledged: false as const, code: 'unavailable', message: 'Away.', passing: true },
          })),
        ),
    ],
  ])('end after three batches in a row that were %s, and give up no offer for it', async (_, away) => {
    await settings({ max_retries: 0, batch_size: 1, concurrency: 1 });
    stock = new Map([1, 2, 3, 4, 5, 6, 7].map((id) => [String(id), { title: `Product ${id}` }]));
    upsert = (offers) =>
      ['shop_3', 'shop_5', 'shop_6', 'shop_7'].includes(offers[0]!.offerId) ? away(offers) : take(offers);
    stock.set('8', { title: 'Never reached' });
    for (const attempts of [1, 2]) {
      const log = await sync('full');
      expect(log).toMatchObject({ status: 'partial', details: { code: 'remote_unavailable' } });
      expect(counts(log)).toEqual([3, 4, 0, 0]);
      expect(sent()).not.toContain('shop_8');
      expect(await row('shop_6')).toMatchObject({ failed_attempts: attempts, last_error: 'unavailable: Away.' });
    }
    upsert = take;
    expect(counts(await sync())).toEqual([5, 0, 3, 0]);
    expect(await row('shop_6')).toMatchObject({ failed_attempts: 0, last_error: null });
  });

  it('correct what a batch may have left there whose outcome is unknown', async () => {
    await sync();
    const away = async (offers: readonly Offer[]) => {
      await take(offers);
      throw new RemoteError('timeout', 'No answer.');
    };
    upsert = away;
    stock.set('1', { title: 'Another title' });
    stock.set('5', { title: 'Product 5' });
    expect(await sync()).toMatchObject({ status: 'failed', items_processed: 0, items_failed: 2 });
    expect(await row('shop_5')).toMatchObject({ sync_hash: null, listing_status: 'approved', failed_attempts: 1 });
    upsert = take;
    stock.set('1', { title: 'Product 1' });
    stock.delete('5');
    expect(counts(await sync())).toEqual([1, 0, 3, 1]);
    expect(sent()).toEqual(['shop_1']);
    expect(removed()).toEqual(['shop_5']);
    expect(remote.get('shop_1')?.offer.attributes.title).toBe('Product 1');
  });

  it('append nothing for what did not change', async () => {
    await sync();
    const { id } = await sync();
    expect(await typesOf(id)).not.toContain('OffersTried' satisfies SyncRunEvent['type']);
    const { id: full } = await sync('full');
    expect(await typesOf(full)).not.toContain('OffersTried' satisfies SyncRunEvent['type']);
  });

  it('end as partial when Google becomes unavailable in the middle, and keep what it acknowledged', async () => {
    await settings({ concurrency: 1 });
    upsert = (offers) =>
      calls.upserts.length === 1 ? take(offers) : Promise.reject(new RemoteError('unavailable', 'Away.'));
    expect(counts(await sync())).toEqual([2, 2, 0, 0]);
    upsert = take;
    expect(counts(await sync())).toEqual([2, 0, 2, 0]);
  });

  it('verify what was acknowledged, tell what is missing, and send it again until it is there', async () => {
    await sync();
    remote.delete('shop_2');
    expect(counts(await sync())).toEqual([0, 0, 4, 0]);
    expect(await row('shop_2')).toMatchObject({ listing_status: 'pending', missing: true });
    expect(counts(await sync())).toEqual([1, 0, 3, 0]);
    expect(sent()).toEqual(['shop_2']);
    expect(await row('shop_2')).toMatchObject({ listing_status: 'approved', missing: false });
  });

  it('leave an offer pending that is acknowledged and not there yet', async () => {
    upsert = async (offers) => {
      const outcomes = await take(offers);
      remote.delete('shop_4');
      return outcomes;
    };
    expect((await sync()).status).toBe('completed');
    expect(await row('shop_4')).toMatchObject({ listing_status: 'pending', missing: false, last_status_at: null });
  });

  it('delete again what was deleted and Google still has', async () => {
    await sync();
    const { offer, expiresAt } = remote.get('shop_1')!;
    stock.delete('1');
    await sync();
    remote.set('shop_1', { offer, expiresAt });
    expect(counts(await sync())).toEqual([0, 0, 3, 0]);
    expect(await row('shop_1')).toMatchObject({ live: false, resurfaced: true });
    expect(counts(await sync())).toEqual([0, 0, 3, 1]);
  });

  it('take what they deleted themselves for no more than slow to go', async () => {
    await sync();
    remove = (offers) => Promise.resolve(acknowledged(offers));
    stock.delete('1');
    expect(counts(await sync())).toEqual([0, 0, 3, 1]);
    expect(await row('shop_1')).toMatchObject({ live: false, resurfaced: false });
    await sync();
    expect(await row('shop_1')).toMatchObject({ live: false, resurfaced: true });
  });

  it('count what was not deleted once, whichever process continues the run', async () => {
    await sync();
    stock.delete('1');
    remove = (offers) =>
      Promise.resolve(
        offers.map(({ offerId }) => ({ offerId, acknowledged: false, code: 'no', message: 'No.', passing: false })),
      );
    beforeStatuses = () => {
      void workers[0]!.stop();
      return Promise.resolve();
    };
    const runId = await begin();
    await eventually(() => calls.removals.length >= 1);
    await workers[0]!.stop();
    beforeStatuses = () => Promise.resolve();
    startWorker();
    expect(counts(await ended(runId))).toEqual([0, 1, 3, 0]);
    remove = takeBack;
    expect(counts(await sync())).toEqual([0, 0, 3, 1]);
  });

  it('tell long reasons shortly, and end where there is more to tell than can be kept', async () => {
    stock.set('5', { title: 'Product 5', listable: false, reasons: ['x'.repeat(600_000)] });
    const log = await sync();
    expect(log).toMatchObject({ status: 'completed', details: { exclusions: [{ productId: '5' }] } });
    expect(JSON.stringify(log.details).length).toBeLessThan(10_000);
    stock.set('5', { title: 'Product 5', listable: false, reasons: Array<string>(1_000).fill('x'.repeat(600)) });
    const failed = await sync();
    expect(failed).toMatchObject({ status: 'failed', details: { code: 'internal_error' } });
    expect(counts(failed)).toEqual([0, 0, 5, 0]);
  });

  it('report what they skipped before an unexpected error ended them', async () => {
    await sync();
    beforeStatuses = () => Promise.reject(new Error('A fault of ours.'));
    const log = await sync();
    expect(log).toMatchObject({ status: 'failed', details: { code: 'internal_error' } });
    expect(counts(log)).toEqual([0, 0, 4, 0]);
  });

  it('are cancelled while they wait for the mappings', async () => {
    await workers[0]!.stop();
    const behind = Object.create(projections) as Projections;
    const waiting = new Promise<void>((resolve) => {
      behind.find = () => {
        resolve();
        return Promise.reject(new UnavailableError('The mappings are behind.'));
      };
    });
    startWorker(behind);
    const runId = await begin();
    await waiting;
    await command({ type: 'Disconnect' });
    expect(await ended(runId)).toMatchObject({ status: 'cancelled' });
  });

  it('are cancelled, not failed, when Google rejects them because the account is disconnected', async () => {
    await settings({ concurrency: 1 });
    upsert = async () => {
      await command({ type: 'Disconnect' });
      throw new RemoteError('reauth_required', 'The grant is gone.');
    };
    expect(await sync()).toMatchObject({ status: 'cancelled', details: { code: 'cancelled' } });
  });

  it('send again at the age of refresh_after_days, and when an offer expires', async () => {
    await sync();
    now += 25 * DAY;
    expect(counts(await sync())).toEqual([4, 0, 0, 0]);
    remote.get('shop_1')!.expiresAt = new Date(now + 2 * DAY).toISOString();
    expect(counts(await sync())).toEqual([0, 0, 4, 0]);
    expect(await row('shop_1')).toMatchObject({ listing_status: 'expiring' });
    expect(counts(await sync())).toEqual([1, 0, 3, 0]);
    expect(await row('shop_1')).toMatchObject({ listing_status: 'approved' });
  });

  it('of an unknown product fail, and send nothing', async () => {
    await sync();
    expect(await sync('single', '99')).toMatchObject({ status: 'failed', details: { code: 'product_not_found' } });
    expect(counts(await sync('single', '1'))).toEqual([1, 0, 0, 0]);
    expect(sent()).toEqual(['shop_1']);
  });

  it('list an offer under a new country, and take it back under the old one', async () => {
    await sync();
    await feed({ target_country: (country = 'DE') });
    const log = await sync();
    expect(log.status).toBe('completed');
    expect(counts(log)).toEqual([4, 0, 0, 4]);
    expect((await rows()).filter(({ live }) => live).map(({ target_country }) => target_country)).toEqual(
      Array(4).fill('DE'),
    );
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the module is turned off', () => command({ type: 'SetModule', enabled: false })],
    ['the account is disconnected', () => command({ type: 'Disconnect' })],
  ])('are cancelled when %s', async (_, turnOff) => {
    await settings({ concurrency: 1 });
    upsert = async (offers) => {
      if (calls.upserts.length === 1) await turnOff();
      return take(offers);
    };
    const log = await sync();
    expect(log).toMatchObject({ status: 'cancelled', error_message: expect.any(String) });
    expect(calls.upserts).toHaveLength(1);
    expect(counts(log)).toEqual([2, 0, 0, 0]);
  });

  it('continue in another process when one stops, and send nothing again that was acknowledged', async () => {
    await settings({ concurrency: 1 });
    upsert = async (offers, signal) => {
      if (calls.upserts.length === 2) {
        void workers[0]!.stop();
        await once(signal, 'abort');
        throw new RemoteError('timeout', 'Broken off.');
      }
      return take(offers);
    };
    calls = { upserts: [], removals: [] };
    const runId = await begin();
    await eventually(() => calls.upserts.length >= 2);
    upsert = take;
    startWorker();
    const log = await ended(runId);
    expect(log.status).toBe('completed');
    expect(counts(log)).toEqual([4, 0, 0, 0]);
    expect(calls.upserts.map((batch) => batch.join())).toEqual(['shop_1,shop_2', 'shop_3,shop_4', 'shop_3,shop_4']);
    expect(
      (await typesOf(runId)).filter((type) => type === ('SyncRunTaken' satisfies SyncRunEvent['type'])),
    ).toHaveLength(2);
  });

  it('report a batch that was not answered when another process brings them to their end', async () => {
    await settings({ concurrency: 1 });
    upsert = async (_, signal) => {
      if (calls.upserts.length === 2) {
        void workers[0]!.stop();
        await once(signal, 'abort');
      }
      throw new RemoteError('timeout', 'No answer.');
    };
    calls = { upserts: [], removals: [] };
    const runId = await begin();
    await eventually(() => calls.upserts.length >= 2);
    upsert = take;
    startWorker();
    const log = await ended(runId);
    expect(log).toMatchObject({
      status: 'partial',
      details: { code: 'remote_unavailable' },
      error_message: 'No answer.',
    });
    expect(counts(log)).toEqual([2, 2, 0, 0]);
  });
});
