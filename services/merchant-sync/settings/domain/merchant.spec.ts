import { UnknownEventError, ValidationError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import fc from 'fast-check';
import { DEFAULT_FEED_SETTINGS, type FeedSettings } from '../../products/domain/feed-settings';
import {
  merchant,
  merchantStream,
  moduleOf,
  STORE_ID,
  type Changes,
  type ListingsModule,
  type MerchantCommand,
  type MerchantEvent,
} from './merchant';
import { DEFAULT_SYNC_SETTINGS, type SyncSettings } from '../../runs/domain/sync-settings';

const OFF: ListingsModule = { enabled: false, entitled: false };
const ON: ListingsModule = { enabled: true, entitled: true };

const saveFeed = (changes: Changes<FeedSettings>, firstValues = ON) =>
  ({ type: 'SaveFeedSettings', changes, firstValues }) as const;
const saveSync = (changes: Changes<SyncSettings>, firstValues = ON) =>
  ({ type: 'SaveSyncSettings', changes, firstValues }) as const;
const setModule = (changes: Changes<ListingsModule>) => ({ type: 'SetModule', ...changes }) as const;

const enabled: MerchantEvent = { type: 'ListingsModuleEnabled', data: {} };
const disabled: MerchantEvent = { type: 'ListingsModuleDisabled', data: {} };
const granted: MerchantEvent = { type: 'EntitlementGranted', data: {} };
const revoked: MerchantEvent = { type: 'EntitlementRevoked', data: {} };

const { given, evolve } = specify(merchant);

/** The messages by field of a refused write. */
function faults(changes: Changes<FeedSettings>): Readonly<Record<string, readonly string[]>> {
  try {
    merchant.decide(saveFeed(changes), given().state);
  } catch (error) {
    if (error instanceof ValidationError) return error.errors;
    throw error;
  }
  return {};
}

describe('the module', () => {
  it('has its first values while nothing is saved', () => {
    expect(moduleOf(given().state, OFF)).toEqual(OFF);
    expect(moduleOf(given().state, ON)).toEqual(ON);
  });

  it('has the saved values, whatever the first values were', () => {
    expect(moduleOf(given(disabled, granted).state, { enabled: true, entitled: false })).toEqual({
      enabled: false,
      entitled: true,
    });
  });

  it('given nothing saved, turns on and is granted', () => {
    given()
      .when(setModule({ enabled: true, entitled: true }))
      .then(enabled, granted);
  });

  it('given nothing saved, keeps a no as well: it no longer follows the environment', () => {
    given()
      .when(setModule({ enabled: false }))
      .then(disabled);
  });

  it('given it is on, turned on again, changes nothing', () => {
    given(enabled)
      .when(setModule({ enabled: true }))
      .then();
  });

  it('given it is on and granted, turns off alone', () => {
    given(enabled, granted)
      .when(setModule({ enabled: false, entitled: true }))
      .then(disabled);
  });

  it('given it is granted, loses the grant', () => {
    given(granted)
      .when(setModule({ entitled: false }))
      .then(revoked);
  });
});

describe('saving settings', () => {
  it.each<[string, MerchantCommand]>([
    ['feed', saveFeed({ target_country: 'DE' })],
    ['sync', saveSync({ batch_size: 10 })],
  ])('given the module is off, rejects the %s settings with module_disabled', (_, command) => {
    given(granted, disabled).when(command).rejects('module_disabled');
  });

  it.each<[string, MerchantCommand]>([
    ['feed', saveFeed({ target_country: 'DE' })],
    ['sync', saveSync({ batch_size: 10 })],
  ])('given no entitlement, rejects the %s settings with entitlement_required', (_, command) => {
    given(enabled, revoked).when(command).rejects('entitlement_required');
  });

  it('given neither, names the switch first, and both before a wrong field', () => {
    const wrong = { shipping_settings: { mode: 'rates', rates: [] } } as const;
    given().when(saveFeed(wrong, OFF)).rejects('module_disabled');
    given(enabled).when(saveFeed(wrong, OFF)).rejects('entitlement_required');
  });

  it('given a module that was off for a while, finds the settings as they were', () => {
    const changes = { target_country: 'DE' };
    const state = given({ type: 'FeedSettingsChanged', data: { changes } }, disabled, enabled).state;
    expect(state.feed).toEqual({ ...DEFAULT_FEED_SETTINGS, ...changes });
  });

  it('given the defaults, keeps the changed members alone', () => {
    const command = saveFeed({ target_country: 'DE', content_language: 'en', channel: undefined });
    given()
      .when(command)
      .then({ type: 'FeedSettingsChanged', data: { changes: { target_country: 'DE' } } });
    expect(given().when(command).events[0]?.data).toStrictEqual({ changes: { target_country: 'DE' } });
    given()
      .when(saveSync({ max_retries: 5, delete_missing: false }))
      .then({ type: 'SyncSettingsChanged', data: { changes: { delete_missing: false } } });
  });

  it('given the same structured value, changes nothing', () => {
    const changes: Changes<FeedSettings> = {
      shipping_settings: { mode: 'rates', rates: [{ country: 'US', service: 'Ground', price: '4.99 USD' }] },
      category_mappings: [{ source_category: 'Shoes', google_product_category: '187' }],
    };
    const [event] = given().when(saveFeed(changes)).events;
    given(event!)
      .when(saveFeed(structuredClone(changes)))
      .then();
    given(event!)
      .when(saveFeed({ shipping_settings: null }))
      .then({ type: 'FeedSettingsChanged', data: { changes: { shipping_settings: null } } });
  });

  it('whatever is saved in whatever order: the last value of each member holds, and every event changes something', () => {
    const changes = fc.record(
      {
        sync_interval_minutes: fc.integer({ min: 60, max: 63 }),
        batch_size: fc.integer({ min: 49, max: 51 }),
        delete_missing: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 20 }), (writes) => {
        let state = given().state;
        for (const write of writes) {
          const before = state.sync;
          const events = merchant.decide(saveSync(write), state);
          state = evolve(state, events);
          expect(state.sync).toEqual({ ...before, ...write });
          expect(events).toHaveLength(JSON.stringify(before) === JSON.stringify(state.sync) ? 0 : 1);
        }
        expect(state.sync).toEqual(Object.assign({ ...DEFAULT_SYNC_SETTINGS }, ...writes));
      }),
    );
  });
});

describe('feed settings', () => {
  it('have a default for each member', () => {
    expect(DEFAULT_FEED_SETTINGS).toEqual({
      target_country: 'US',
      content_language: 'en',
      channel: 'online',
      include_variations: true,
      include_out_of_stock: false,
      shipping_settings: null,
      tax_settings: null,
      category_mappings: [],
    });
  });

  const shipping = (...prices: string[]): Changes<FeedSettings> => ({
    shipping_settings: {
      mode: 'rates',
      rates: prices.map((price, index) => ({ country: 'US', service: `Service ${index}`, price })),
    },
  });

  it.each(['0 USD', '4.99 USD', '0.5 EUR', '499 JPY', '1.500 KWD', '999999999.99 USD'])(
    'take the price %s',
    (price) => {
      expect(faults(shipping(price))).toEqual({});
    },
  );

  it.each([
    '',
    '4.99',
    'USD 4.99',
    '4,99 USD',
    '-1 USD',
    '.99 USD',
    '04.99 USD',
    '4. USD',
    '4.99USD',
    '4.99 usd',
    '4.99 USD\n',
    '4.999 USD',
    '4.99 JPY',
    '4.99 XYZ',
  ])('refuse the price "%s"', (price) => {
    const wrong = faults(shipping('1 USD', price));
    expect(Object.keys(wrong)).toEqual(['shipping_settings.rates.1.price']);
    expect(wrong['shipping_settings.rates.1.price']).toEqual([expect.stringMatching(/\w/)]);
  });

  it('need rates in the mode rates, and only there', () => {
    expect(faults({ shipping_settings: { mode: 'rates', rates: [] } })).toEqual({
      'shipping_settings.rates': ['The mode rates needs at least one rate.'],
    });
    const tax = { prices_include_tax: true, rates: [] };
    expect(Object.keys(faults({ tax_settings: { ...tax, mode: 'rates' } }))).toEqual(['tax_settings.rates']);
    expect(faults({ tax_settings: { ...tax, mode: 'account' } })).toEqual({});
  });

  it('refuse two answers to one question', () => {
    const service = { country: 'US', service: 'Ground', price: '1 USD' };
    const rate = { country: 'US', rate: 7 };
    const mapping = { source_category: 'Shoes', google_product_category: '187' };
    expect(
      faults({
        shipping_settings: { mode: 'rates', rates: [service, { ...service, country: 'CA' }, service] },
        tax_settings: { prices_include_tax: false, mode: 'rates', rates: [rate, { ...rate, rate: 8 }] },
        category_mappings: [mapping, { ...mapping, source_category: 'Hats' }, mapping],
      }),
    ).toEqual({
      'shipping_settings.rates.2.service': ['This country has a rate for this service already.'],
      'tax_settings.rates.1.country': ['This country has a rate already.'],
      'category_mappings.2.source_category': ['This category is mapped already.'],
    });
  });

  it('take one tax rate for each country', () => {
    const rates = [
      { country: 'US', rate: 7 },
      { country: 'CA', rate: 5 },
    ];
    expect(faults({ tax_settings: { prices_include_tax: false, mode: 'rates', rates } })).toEqual({});
  });

  it('change nothing where one member is wrong', () => {
    given()
      .when(saveFeed({ target_country: 'DE', ...shipping('free') }))
      .rejects('VALIDATION_FAILED');
  });
});

describe('the connection', () => {
  const connect = (id: string, firstValues = ON) =>
    ({
      type: 'Connect',
      connection: { id, connectedAt: '2026-01-01T00:00:00.000Z', adapter: 'merchant_api_v1', scopes: ['content'] },
      firstValues,
    }) as const;
  const account = { id: '7', name: 'Shop' };
  const connected = (id: string): MerchantEvent => given().when(connect(id)).events[0]!;
  const chosen = (connectionId: string): MerchantEvent => ({
    type: 'MerchantAccountChosen',
    data: { connectionId, accountId: '7', name: 'Shop' },
  });
  const needsReauthorization = (connectionId: string): MerchantEvent => ({
    type: 'ConnectionNeedsReauthorization',
    data: { connectionId },
  });
  const disconnected = (connectionId: string): MerchantEvent => ({
    type: 'MerchantDisconnected',
    data: { connectionId },
  });

  it('given the module is off, is refused', () => {
    given().when(connect('a', OFF)).rejects('module_disabled');
  });

  it('given none, there is one without an account', () => {
    expect(given(connected('a')).state.connection).toEqual({
      id: 'a',
      connectedAt: '2026-01-01T00:00:00.000Z',
      adapter: 'merchant_api_v1',
      scopes: ['content'],
      account: null,
      needsReauthorization: false,
    });
  });

  it('given one that needs reauthorization, is replaced by one that does not', () => {
    const state = given(connected('a'), chosen('a'), needsReauthorization('a'), connected('b')).state;
    expect(state.connection).toMatchObject({ id: 'b', account: null, needsReauthorization: false });
  });

  it('given one, takes its account once', () => {
    const choose = (connectionId: string) => ({ type: 'ChooseAccount', connectionId, account }) as const;
    given(connected('a')).when(choose('a')).then(chosen('a'));
    expect(given(connected('a'), chosen('a')).state.connection?.account).toEqual(account);
    given(connected('a'), chosen('a')).when(choose('a')).then();
    given(connected('b')).when(choose('a')).then();
    given().when(choose('a')).then();
  });

  it('given one, needs reauthorization once, and never for what became of another', () => {
    const require = (connectionId: string) => ({ type: 'RequireReauthorization', connectionId }) as const;
    given(connected('a')).when(require('a')).then(needsReauthorization('a'));
    expect(given(connected('a'), needsReauthorization('a')).state.connection?.needsReauthorization).toBe(true);
    given(connected('a'), needsReauthorization('a')).when(require('a')).then();
    given(connected('a'), connected('b')).when(require('a')).then();
    given().when(require('a')).then();
  });

  it('given one, is dropped; given none, says so', () => {
    given(connected('a')).when({ type: 'Disconnect' }).then(disconnected('a'));
    expect(given(connected('a'), disconnected('a')).state.connection).toBeNull();
    given().when({ type: 'Disconnect' }).rejects('not_connected');
  });
});

it('rejects an event of a newer release', () => {
  const event = { type: 'MerchantMoved', data: {} } as unknown as MerchantEvent;
  expect(() => evolve(given().state, [event])).toThrow(UnknownEventError);
});

it('keeps the events of the one shop in the stream merchant-default', () => {
  expect(merchantStream(STORE_ID)).toBe('merchant-default');
});
