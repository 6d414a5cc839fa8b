import { saveFeedSettings, saveSyncSettings, setListingsModule, syncSettingsSchema } from './listings';

const feed = (changes: object) => saveFeedSettings.request.safeParse(changes);
const fieldsOf = (result: ReturnType<typeof feed>) =>
  result.error?.issues.map((issue) => issue.path.map(String).join('.')) ?? [];

describe('a write of feed settings', () => {
  it('may name nothing', () => {
    expect(feed({}).data).toEqual({});
  });

  it.each([null, {}, []])('reads %j as none', (none) => {
    const changes = { shipping_settings: none, tax_settings: none, category_mappings: none };
    expect(feed(changes).data).toEqual({ shipping_settings: null, tax_settings: null, category_mappings: [] });
  });

  it('reads the same twice: what the gateway validated, the service validates again', () => {
    const once = feed({
      shipping_settings: { mode: 'account' },
      tax_settings: { mode: 'rates', rates: [{ country: 'DE', rate: 19 }] },
      category_mappings: [{ source_category: ' Shoes ', google_product_category: '187', colour: 'red' }],
    }).data;
    expect(once).toEqual({
      shipping_settings: { mode: 'account', rates: [] },
      tax_settings: { mode: 'rates', prices_include_tax: false, rates: [{ country: 'DE', rate: 19 }] },
      category_mappings: [{ source_category: 'Shoes', google_product_category: '187' }],
    });
    expect(feed(once!).data).toEqual(once);
  });

  it.each([
    [{ target_country: 'Germany' }, 'target_country'],
    [{ target_country: 'de' }, 'target_country'],
    [{ content_language: 'EN' }, 'content_language'],
    [{ channel: 'tv' }, 'channel'],
    [{ channel: null }, 'channel'],
    [{ include_variations: 'true' }, 'include_variations'],
    [{ include_out_of_stock: 1 }, 'include_out_of_stock'],
    [{ shipping_settings: 'none' }, 'shipping_settings'],
    [{ shipping_settings: { mode: 'free' } }, 'shipping_settings.mode'],
    [
      { shipping_settings: { mode: 'rates', rates: [{ country: 'US', service: 'Ground', price: 4.99 }] } },
      'shipping_settings.rates.0.price',
    ],
    [{ tax_settings: { mode: 'rates', rates: [{ country: 'US', rate: 100.5 }] } }, 'tax_settings.rates.0.rate'],
    [{ category_mappings: 'Shoes' }, 'category_mappings'],
    [{ category_mappings: [{ source_category: 'Shoes' }] }, 'category_mappings.0.google_product_category'],
  ])('rejects %j by its field', (changes, field) => {
    expect(fieldsOf(feed(changes))).toEqual([field]);
  });

  it('takes as many categories as one event can carry, and no more', () => {
    const mappings = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        source_category: `${index} ${'ü'.repeat(200)}`,
        google_product_category: 'x'.repeat(100),
      }));
    expect(feed({ category_mappings: mappings(450) }).success).toBe(true);
    expect(fieldsOf(feed({ category_mappings: mappings(500) }))).toEqual(['category_mappings']);
  });
});

describe('a write of sync settings', () => {
  const bounds: Readonly<Record<string, readonly [number, number]>> = {
    sync_interval_minutes: [60, 40_320],
    batch_size: [1, 100],
    concurrency: [1, 16],
    max_retries: [0, 10],
    refresh_after_days: [1, 29],
    log_retention_days: [1, 365],
    max_delete_ratio: [0, 1],
  };
  const accepts = (field: string, value: unknown) => saveSyncSettings.request.safeParse({ [field]: value }).success;

  it.each(Object.entries(bounds))('bounds %s', (field, [min, max]) => {
    expect([min - 1, min, max, max + 1].map((value) => accepts(field, value))).toEqual([false, true, true, false]);
    expect([null, String(min), NaN].map((value) => accepts(field, value))).toEqual([false, false, false]);
    expect(accepts(field, min + 0.5)).toBe(field === 'max_delete_ratio');
  });

  it('bounds every number there is', () => {
    expect(Object.keys(syncSettingsSchema.shape).sort()).toEqual([...Object.keys(bounds), 'delete_missing'].sort());
  });
});

it('a write of the module takes booleans alone', () => {
  expect(setListingsModule.request.safeParse({ enabled: true }).success).toBe(true);
  expect(setListingsModule.request.safeParse({ entitled: 'on' }).success).toBe(false);
});
