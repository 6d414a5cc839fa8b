import { readSettings } from '@sluice/config';
import { eventually } from '@sluice/testing';
import { merchantSyncSettings } from '../config/merchant-sync.settings';
import { startMerchantServer, type MerchantServer } from '../../../test/support/merchant-server';
import type { Offer } from '../products/domain/offer';
import { openRemoteCatalog } from './open-remote-catalog';
import { RemoteError, type RemoteAccess, type RemoteCatalog, type RemoteStatus } from './remote-catalog';

const ADAPTERS = ['merchant_api_v1', 'content_api_v21'] as const;

const offer = (offerId: string, changes: Partial<Offer> = {}): Offer => ({
  offerId,
  productId: '1',
  variationId: null,
  targetCountry: 'US',
  contentLanguage: 'en',
  channel: 'online',
  attributes: {
    title: 'Shirt “Größe”\r\n--batch',
    description: 'Soft.',
    link: 'https://shop.example/shirt',
    imageLink: 'https://shop.example/shirt.jpg',
    price: { value: '15.00', currency: 'USD' },
    availability: 'in_stock',
    condition: 'new',
  },
  ...changes,
});

describe.each(ADAPTERS)('the remote catalogue by %s', (adapter) => {
  let server: MerchantServer;
  let catalog: RemoteCatalog;
  let access: RemoteAccess;
  let rejected: (string | undefined)[];
  let maxRetries: number;
  const signal = new AbortController().signal;
  const options = () => ({ signal, maxRetries });
  const target = { targetCountry: 'US', contentLanguage: 'en', channel: 'online', email: 'o@shop.example' } as const;

  beforeEach(async () => {
    server = await startMerchantServer();
    catalog = open();
    rejected = [];
    maxRetries = 3;
    let token = server.oauth.accessToken();
    access = {
      accountId: server.catalogue.accounts[0]!.id,
      accessToken: (refused) => {
        rejected.push(refused);
        if (refused === token) token = server.oauth.accessToken();
        return Promise.resolve(token);
      },
      refused: () => Promise.reject(new RemoteError('reauth_required', 'Gone.')),
    };
  });

  afterEach(() => server.close());

  const open = (env: Readonly<Record<string, string>> = {}) =>
    openRemoteCatalog(readSettings({ ...server.env, REMOTE_CATALOG: adapter, ...env }, merchantSyncSettings));
  const prepared = () => catalog.prepare(access, target, options());
  const upsert = (...offers: Offer[]) => catalog.upsert(access, offers, options());
  const acknowledged = (offerId: string) => expect.objectContaining({ offerId, acknowledged: true }) as object;
  const statuses = async () => {
    const all: RemoteStatus[] = [];
    for await (const page of catalog.statuses(access, options())) all.push(...page);
    return all;
  };
  const fault = (kind: RemoteError['fault']) => expect.objectContaining({ name: 'RemoteError', fault: kind }) as Error;

  it('names the accounts that the grant reaches, page by page', async () => {
    server.catalogue.accounts = [
      { id: '1', name: 'One' },
      { id: '2', name: 'Two' },
      { id: '3', name: 'Three' },
    ];
    server.catalogue.largestPage = 2;
    expect(await catalog.accounts(access, options())).toEqual(server.catalogue.accounts);
  });

  it('ends a listing that names the same page again and again', async () => {
    await prepared();
    await upsert(offer('a'));
    server.catalogue.largestPage = 0;
    await expect(statuses()).rejects.toThrow(fault('unavailable'));
  });

  it('waits for a token no longer than it may', async () => {
    const stop = new AbortController();
    const silent = { ...access, accessToken: () => new Promise<never>(() => undefined) };
    const asked = catalog.accounts(silent, { signal: stop.signal, maxRetries });
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  it('takes offers, replaces them, and removes them, what is not there included', async () => {
    await prepared();
    const [a, b] = [offer('shop_1'), offer('shop/2~b %')];
    const first = await upsert(a, b);
    expect(first).toEqual([acknowledged('shop_1'), acknowledged('shop/2~b %')]);
    expect([...server.catalogue.offers.values()].map(({ offerId }) => offerId).sort()).toEqual([
      'shop/2~b %',
      'shop_1',
    ]);
    await upsert(offer('shop_1', { attributes: { ...a.attributes, title: 'Other' } }));
    expect(server.catalogue.offer('shop_1')?.attributes['title']).toBe('Other');
    expect(server.catalogue.offers.size).toBe(2);

    const told = await statuses();
    expect(told.map(({ remoteProductId }) => remoteProductId).sort()).toEqual(
      first.map((outcome) => (outcome.acknowledged ? outcome.remoteProductId : '')).sort(),
    );
    expect(await catalog.remove(access, [a, b, offer('never')], options())).toEqual([
      acknowledged('shop_1'),
      acknowledged('shop/2~b %'),
      acknowledged('never'),
    ]);
    expect(server.catalogue.offers.size).toBe(0);
    expect(await statuses()).toEqual([]);
  });

  it('keeps offers of another channel, language or country apart', async () => {
    await prepared();
    const kinds = [
      offer('x'),
      offer('x', { channel: 'local' }),
      offer('x', { contentLanguage: 'de' }),
      offer('x', { targetCountry: 'DE' }),
    ];
    expect(await upsert(...kinds)).toEqual(kinds.map(() => acknowledged('x')));
    expect(server.catalogue.offers.size).toBe(4);
    await catalog.remove(access, [kinds[1]!], options());
    expect([...server.catalogue.offers.values()].map(({ channel }) => channel)).toEqual(['online', 'online', 'online']);
  });

  it('returns the status of every offer, page by page, and the issues that Google reports', async () => {
    await prepared();
    await upsert(...['approved', 'pending', 'disapproved', 'unknown'].map((id) => offer(id)));
    server.catalogue.largestPage = 3;
    const expiresAt = '2030-01-01T00:00:00Z';
    const issue = { code: 'gtin_missing', severity: 'DISAPPROVED', attribute: 'gtin', description: 'No GTIN' } as const;
    server.catalogue.review = ({ offerId }) => ({
      status: offerId as 'approved',
      expiresAt,
      ...(offerId === 'disapproved' && { issues: [issue] }),
    });
    const told = await statuses();
    expect(told.map(({ offerId, listingStatus }) => [offerId, listingStatus])).toEqual([
      ['approved', 'approved'],
      ['pending', 'pending'],
      ['disapproved', 'disapproved'],
      ['unknown', undefined],
    ]);
    expect(told[0]).toMatchObject({ issues: [], expiresAt });
    expect(told[2]?.issues).toEqual([
      {
        code: 'gtin_missing',
        severity: 'disapproved',
        attribute: 'gtin',
        description: 'No GTIN',
        detail: 'Look at it.',
        documentation: 'https://support.example/1',
        countries: ['US'],
      },
    ]);
  });

  it('names the offers of a batch that were refused, and why', async () => {
    await prepared();
    server.fail({ on: 'offer', with: 'refused', offers: (id) => id.startsWith('bad') });
    const [good, bad] = await upsert(offer('good'), offer('bad_1'));
    expect(good).toEqual(acknowledged('good'));
    expect(bad).toEqual({
      offerId: 'bad_1',
      acknowledged: false,
      code: expect.any(String),
      message: expect.any(String),
      passing: false,
    });
    expect(await upsert(offer('bad_1'), offer('bad_2'))).toMatchObject([
      { offerId: 'bad_1', acknowledged: false },
      { offerId: 'bad_2', acknowledged: false },
    ]);
  });

  it('sends again those offers of a batch that a pause helps, and those alone', async () => {
    await prepared();
    server.fail({ on: 'offer', with: 'unavailable', times: 2, offers: (id) => id === 'late' });
    expect(await upsert(offer('first'), offer('late'))).toEqual([acknowledged('first'), acknowledged('late')]);
    expect(server.catalogue.upserted).toEqual(['first', 'late']);
  });

  it('returns a 5xx for a part of a batch as the outcome of that offer', async () => {
    maxRetries = 1;
    await prepared();
    server.fail({ on: 'offer', with: 'unavailable', offers: (id) => id.startsWith('late') });
    const late = { offerId: 'late', acknowledged: false, code: 'unavailable', message: expect.any(String) as string };
    expect(await upsert(offer('first'), offer('late'))).toEqual([acknowledged('first'), { ...late, passing: false }]);
    expect(await upsert(offer('late'))).toEqual([{ ...late, passing: false }]);
    // As good as no answer: nothing says that it lies in the offers.
    expect(await upsert(offer('late'), offer('late_2'))).toEqual([
      { ...late, passing: true },
      { ...late, offerId: 'late_2', passing: true },
    ]);
  });

  it('answers what was taken of a batch when a limit ends it', async () => {
    await prepared();
    server.fail({ on: 'offer', with: 'daily_quota', offers: (id) => id === 'late' });
    expect(await upsert(offer('first'), offer('late'))).toEqual([
      acknowledged('first'),
      expect.objectContaining({ offerId: 'late', acknowledged: false, code: 'daily_quota', passing: true }),
    ]);
    await expect(upsert(offer('late'))).rejects.toThrow(fault('daily_quota'));
  });

  it.each([
    ['rate', 'rate_limited', 4],
    ['unavailable', 'unavailable', 4],
    ['daily_quota', 'daily_quota', 1],
    ['too_many_items', 'too_many_items', 1],
    ['forbidden', 'forbidden', 1],
    ['refused', 'refused', 1],
    ['sunset', 'sunset', 1],
  ] as const)('of a batch that fails with %s says %s, after %d tries', async (failure, kind, tries) => {
    await prepared();
    server.fail({ on: 'batch', with: failure });
    await expect(upsert(offer('a'))).rejects.toThrow(fault(kind));
    expect(server.received.batch).toBe(tries);
  });

  it('gets through after 429s that name no time, and after 5xx', async () => {
    await prepared();
    server.fail({ on: 'batch', with: 'rate', times: 2 });
    server.fail({ on: 'batch', with: 'unavailable', times: 1, after: 2 });
    expect(await upsert(offer('a'))).toEqual([acknowledged('a')]);
  });

  it('gets through after a 429 with Retry-After, and gives up where that is too long', async () => {
    await prepared();
    server.fail({ on: 'batch', with: 'rate', times: 1, retryAfterSeconds: 1 });
    expect(await Promise.all([upsert(offer('a')), upsert(offer('b'))])).toEqual([
      [acknowledged('a')],
      [acknowledged('b')],
    ]);
    server.repair();
    server.fail({ on: 'batch', with: 'rate', times: 1, retryAfterSeconds: 86_400 });
    await expect(upsert(offer('a'))).rejects.toMatchObject({
      fault: 'rate_limited',
      detail: { retryAfterMs: 86_400_000 },
    });
  });

  it('ends a call that hangs, and ends immediately when it is aborted', async () => {
    maxRetries = 0;
    await prepared();
    server.fail({ on: 'batch', with: 'hang' });
    catalog = open({ REMOTE_TIMEOUT_MS: '200' });
    await expect(upsert(offer('a'))).rejects.toThrow(fault('timeout'));
    catalog = open();
    const stopping = new AbortController();
    const hanging = catalog.upsert(access, [offer('a')], { signal: stopping.signal, maxRetries: 5 });
    const ended = expect(hanging).rejects.toThrow('stop');
    const before = server.received.batch;
    await eventually(() => server.received.batch !== before);
    stopping.abort(new Error('stop'));
    await ended;
  });

  it('says who could not be reached', async () => {
    maxRetries = 0;
    await server.close();
    await expect(catalog.accounts(access, options())).rejects.toThrow(/^127\.0\.0\.1:\d+ could not be reached\.$/);
  });

  it('fetches another token where one is refused, once', async () => {
    await prepared();
    server.oauth.expireAccessTokens();
    rejected = [];
    expect(await upsert(offer('a'))).toEqual([acknowledged('a')]);
    expect(rejected.filter((token) => token !== undefined)).toHaveLength(1);
    server.fail({ on: 'batch', with: 'unauthorized' });
    rejected = [];
    await expect(upsert(offer('a'))).rejects.toThrow(fault('reauth_required'));
    expect(rejected.filter((token) => token !== undefined)).toHaveLength(1);
  });

  it('says that an account is not the grant’s', async () => {
    await prepared();
    server.catalogue.accounts = [];
    await expect(upsert(offer('a'))).rejects.toThrow(fault('forbidden'));
    await expect(statuses()).rejects.toThrow(fault('forbidden'));
  });

  it('keeps tokens and addresses of people out of what it says', async () => {
    await prepared();
    server.fail({ on: 'batch', with: 'forbidden' });
    const refused = (await upsert(offer('a')).catch((error: unknown) => error)) as Error;
    const told = JSON.stringify([refused, refused.message, refused.stack]);
    for (const secret of server.oauth.handedOut) expect(told).not.toContain(secret);
  });
});

describe('the Merchant API', () => {
  let server: MerchantServer;
  let access: RemoteAccess;
  const options = { signal: new AbortController().signal, maxRetries: 0 };
  const target = { targetCountry: 'US', contentLanguage: 'en', channel: 'online', email: 'o@shop.example' } as const;
  const open = () => openRemoteCatalog(readSettings({ ...server.env }, merchantSyncSettings));

  beforeEach(async () => {
    server = await startMerchantServer();
    const token = server.oauth.accessToken();
    access = {
      accountId: server.catalogue.accounts[0]!.id,
      accessToken: () => Promise.resolve(token),
      refused: () => Promise.reject(new RemoteError('reauth_required', 'Gone.')),
    };
  });
  afterEach(() => server.close());

  it('registers its client once, and makes one data source for each target', async () => {
    const catalog = open();
    await catalog.prepare(access, target, options);
    await catalog.prepare(access, target, options);
    await open().prepare(access, target, options);
    expect([server.received.registration, server.catalogue.dataSourceCount]).toEqual([1, 1]);
    await catalog.prepare(access, { ...target, channel: 'local' }, options);
    await catalog.prepare(access, { ...target, targetCountry: 'DE' }, options);
    expect([server.received.registration, server.catalogue.dataSourceCount]).toEqual([1, 3]);
  });

  it('registers its client later if that failed, or if no address was known', async () => {
    const catalog = open();
    const anonymous = catalog.prepare(access, { ...target, email: '' }, options);
    await expect(anonymous).rejects.toMatchObject({ detail: { reason: 'GCP_NOT_REGISTERED' } });
    expect(server.received.registration).toBe(0);
    server.fail({ on: 'registration', with: 'refused', times: 1 });
    await expect(catalog.prepare(access, target, options)).rejects.toMatchObject({ fault: 'forbidden' });
    await catalog.prepare(access, target, options);
    expect(server.received.registration).toBe(2);
  });

  it('names what is missing where registration is refused', async () => {
    server.fail({ on: 'registration', with: 'refused' });
    await expect(open().prepare(access, target, options)).rejects.toMatchObject({
      fault: 'forbidden',
      detail: { reason: 'GCP_NOT_REGISTERED' },
    });
  });

  it('sends every attribute in the form of its interface', async () => {
    const catalog = open();
    await catalog.prepare(access, target, options);
    const price = (value: string, currency = 'USD') => ({ value, currency });
    const [outcome] = await catalog.upsert(
      access,
      [
        offer('full', {
          attributes: {
            ...offer('full').attributes,
            price: price('1234567.89'),
            salePrice: price('999', 'JPY'),
            salePriceEffectiveDate: '2026-01-01T00:00:00Z/2026-02-01T00:00:00Z',
            additionalImageLinks: ['https://shop.example/2.jpg'],
            availability: 'backorder',
            availabilityDate: '2026-03-01T00:00:00Z',
            gtin: '4006381333931',
            productTypes: ['Clothing > Shirts'],
            gender: 'unisex',
            ageGroup: 'adult',
            shipping: [{ country: 'US', service: 'Ground', price: price('4.99') }],
            shippingWeight: '1.2 kg',
            tax: [{ country: 'US', rate: '7' }],
          },
        }),
      ],
      options,
    );
    expect(outcome).toEqual({
      offerId: 'full',
      acknowledged: true,
      remoteProductId: `accounts/${access.accountId}/products/en~US~full`,
    });
    expect(server.catalogue.offer('full')?.attributes).toMatchObject({
      price: { amountMicros: '1234567890000', currencyCode: 'USD' },
      salePrice: { amountMicros: '999000000', currencyCode: 'JPY' },
      salePriceEffectiveDate: { startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' },
      availability: 'BACKORDER',
      condition: 'NEW',
      gtins: ['4006381333931'],
      gender: 'UNISEX',
      ageGroup: 'ADULT',
      shipping: [{ country: 'US', service: 'Ground', price: { amountMicros: '4990000', currencyCode: 'USD' } }],
      shippingWeight: { value: 1.2, unit: 'kg' },
    });
    expect(server.catalogue.offer('full')?.attributes).not.toHaveProperty('tax');
  });
});

it('sends every attribute in the form of the Content API', async () => {
  const server = await startMerchantServer();
  const catalog = openRemoteCatalog(
    readSettings({ ...server.env, REMOTE_CATALOG: 'content_api_v21' }, merchantSyncSettings),
  );
  const token = server.oauth.accessToken();
  const access: RemoteAccess = {
    accountId: server.catalogue.accounts[0]!.id,
    accessToken: () => Promise.resolve(token),
    refused: () => Promise.reject(new RemoteError('reauth_required', 'Gone.')),
  };
  const attributes: Offer['attributes'] = {
    ...offer('full').attributes,
    availability: 'out_of_stock',
    size: 'L',
    gtin: '4006381333931',
    shipping: [{ country: 'US', service: 'Ground', price: { value: '4.99', currency: 'USD' } }],
    shippingWeight: '1.2 kg',
    tax: [{ country: 'US', rate: '7.25' }],
  };
  const options = { signal: new AbortController().signal, maxRetries: 0 };
  expect(await catalog.upsert(access, [offer('full', { attributes })], options)).toEqual([
    { offerId: 'full', acknowledged: true, remoteProductId: 'online:en:US:full' },
  ]);
  expect(server.catalogue.offer('full')?.attributes).toMatchObject({
    channel: 'online',
    feedLabel: 'US',
    price: { value: '15.00', currency: 'USD' },
    availability: 'out of stock',
    sizes: ['L'],
    gtin: '4006381333931',
    shipping: [{ country: 'US', service: 'Ground', price: { value: '4.99', currency: 'USD' } }],
    shippingWeight: { value: 1.2, unit: 'kg' },
    taxes: [{ country: 'US', rate: 7.25 }],
  });
  await server.close();
});
