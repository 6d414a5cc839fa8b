import { Readable } from 'node:stream';
import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { resolveCategories } from './categories';
import { DEFAULT_FEED_SETTINGS, type FeedSettings } from './feed-settings';
import { createMapper, type Mapped, type MappingRules } from './map-product';
import type { OfferAttributes } from './offer';
import type { ShopProduct, ShopVariation } from './product';

const PRODUCT: ShopProduct = {
  id: '7',
  type: 'simple',
  published: true,
  hidden: false,
  title: 'Shirt',
  description: 'A shirt.',
  shortDescription: '',
  categories: [],
  variations: [],
  sku: null,
  link: 'https://shop.example/shirt',
  images: ['https://shop.example/shirt.jpg'],
  regularPrice: '15.00',
  salePrice: null,
  saleFrom: null,
  saleTo: null,
  currency: null,
  availability: 'in_stock',
  availableOn: null,
  brand: null,
  gtin: null,
  mpn: null,
  condition: null,
  attributes: [],
  shippingClass: null,
  weight: null,
};

const VARIATION: ShopVariation = {
  id: '71',
  published: true,
  sku: null,
  description: '',
  link: '',
  images: [],
  regularPrice: null,
  salePrice: null,
  saleFrom: null,
  saleTo: null,
  currency: null,
  availability: 'in_stock',
  availableOn: null,
  brand: null,
  gtin: null,
  mpn: null,
  condition: null,
  attributes: [],
  shippingClass: null,
  weight: null,
};

const product = (changes: Partial<ShopProduct> = {}): ShopProduct => ({ ...PRODUCT, ...changes });
const variation = (changes: Partial<ShopVariation> = {}): ShopVariation => ({ ...VARIATION, ...changes });
const variable = (variations: readonly ShopVariation[], changes: Partial<ShopProduct> = {}) =>
  product({ type: 'variable', variations, ...changes });

function map(
  listed: ShopProduct,
  settings: Partial<FeedSettings> = {},
  rules: Partial<Omit<MappingRules, 'settings'>> = {},
): Mapped {
  return createMapper({
    ...{ prefix: 'svc', storeCurrency: 'USD', toText: (html: string) => html, categories: { byPath: new Map() } },
    ...rules,
    settings: { ...DEFAULT_FEED_SETTINGS, ...settings },
  })(listed);
}

/** Of the one offer that there must be. */
function attributesOf(...given: Parameters<typeof map>): OfferAttributes {
  const { offers, exclusions } = map(...given);
  expect(exclusions).toEqual([]);
  expect(offers).toHaveLength(1);
  return offers[0]!.attributes;
}

/** Of the one exclusion that there must be. */
function reasonsOf(...given: Parameters<typeof map>): string {
  const { offers, exclusions } = map(...given);
  expect(offers).toEqual([]);
  expect(exclusions).toHaveLength(1);
  return exclusions[0]!.reasons.join(' ');
}

describe('a product of the shop', () => {
  it('given what a listing needs, becomes one offer with nothing invented', () => {
    expect(map(product())).toEqual<Mapped>({
      offers: [
        {
          offerId: 'svc_7',
          productId: '7',
          variationId: null,
          targetCountry: 'US',
          contentLanguage: 'en',
          channel: 'online',
          attributes: {
            title: 'Shirt',
            description: 'A shirt.',
            link: 'https://shop.example/shirt',
            imageLink: 'https://shop.example/shirt.jpg',
            price: { value: '15.00', currency: 'USD' },
            availability: 'in_stock',
            condition: 'new',
          },
        },
      ],
      exclusions: [],
    });
  });

  it('given everything, is listed with everything', () => {
    const rich = product({
      sku: 'SH-1',
      brand: 'Acme',
      gtin: '4006381333931',
      mpn: 'A-7',
      condition: 'used',
      images: ['https://shop.example/1.jpg', 'https://shop.example/2.jpg', 'https://shop.example/1.jpg'],
      salePrice: '12.5',
      shippingClass: 'bulky',
      weight: '1.2 kg',
      attributes: [
        { name: 'Colour', value: 'Red' },
        { name: 'pa_color', value: 'Blue' },
        { name: 'Size', value: 'M' },
        { name: 'Material', value: 'Cotton' },
        { name: 'Pattern', value: 'Striped' },
        { name: 'Gender', value: "Women's" },
        { name: 'Age Group', value: 'Adult' },
        { name: 'Care', value: 'Wash cold' },
      ],
    });
    expect(attributesOf(rich, { target_country: 'DE', content_language: 'de' }, { storeCurrency: 'EUR' })).toEqual({
      title: 'Shirt',
      description: 'A shirt.',
      link: 'https://shop.example/shirt',
      imageLink: 'https://shop.example/1.jpg',
      additionalImageLinks: ['https://shop.example/2.jpg'],
      price: { value: '15.00', currency: 'EUR' },
      salePrice: { value: '12.50', currency: 'EUR' },
      availability: 'in_stock',
      condition: 'used',
      brand: 'Acme',
      gtin: '4006381333931',
      mpn: 'A-7',
      color: 'Red/Blue',
      size: 'M',
      material: 'Cotton',
      pattern: 'Striped',
      gender: 'female',
      ageGroup: 'adult',
      shippingLabel: 'bulky',
      shippingWeight: '1.2 kg',
    });
  });

  it.each<[string, Partial<ShopProduct>, string]>([
    ['a draft', { published: false }, 'It is not published.'],
    ['hidden', { hidden: true }, 'hidden'],
    ['external', { type: 'external' }, 'external'],
    ['a group', { type: 'grouped' }, 'groups'],
    ['of a type of some plugin', { type: 'other' }, 'neither a simple nor a variable product'],
    ['variable without variations', { type: 'variable' }, 'no variations'],
    ['without a title', { title: ' \n ' }, 'no title'],
    ['without an image', { images: [] }, 'no image'],
    ['with an image that is no address', { images: ['shirt.jpg', 'data:image/png;base64,AA=='] }, 'no image'],
    ['without a link', { link: '' }, 'no link'],
    ['with a link of another kind', { link: 'javascript:alert(1)' }, 'no link'],
    ['without a price', { regularPrice: null, salePrice: '5' }, 'no price'],
    ['of price 0', { regularPrice: '0.00' }, 'Its price is 0.'],
    ['given away in a sale', { salePrice: '0' }, 'Its price is 0.'],
    ['with a price that is none', { regularPrice: 'on request' }, 'can not be read'],
    ['with a sale price that is none', { salePrice: '12,50' }, 'can not be read'],
    ['with more decimals than its currency has', { regularPrice: '1.999' }, 'more decimals'],
    ['with a sale at no time', { salePrice: '9', saleFrom: 'soon' }, 'soon'],
    ['in another currency than the shop', { currency: 'EUR' }, 'STORE_CURRENCY'],
    ['out of stock', { availability: 'out_of_stock' }, 'include_out_of_stock'],
    ['on backorder without a date', { availability: 'backorder' }, 'out of stock'],
    ['to come without a date', { availability: 'preorder', availableOn: 'in spring' }, 'out of stock'],
    ['with an id too long', { id: 'x'.repeat(47) }, '50 characters'],
    ['with an id that has spaces', { id: 'a b' }, 'spaces'],
  ])('%s is excluded with the reason', (_, changes, reason) => {
    expect(reasonsOf(product(changes))).toContain(reason);
  });

  it('whose variations would be a group with too long a name is excluded with the reason', () => {
    const variations = [{ ...product(), id: 'red' }];
    expect(reasonsOf(product({ id: 'x'.repeat(47), type: 'variable', variations }))).toContain('group');
  });

  it('is excluded with every reason', () => {
    const { exclusions } = map(product({ images: [], link: '', regularPrice: '0', availability: 'out_of_stock' }));
    expect(exclusions).toEqual([{ productId: '7', variationId: null, reasons: expect.any(Array) }]);
    expect(exclusions[0]!.reasons).toHaveLength(4);
  });

  it('without a currency anywhere is excluded, with its own is listed in that', () => {
    expect(reasonsOf(product(), {}, { storeCurrency: undefined })).toContain('STORE_CURRENCY');
    expect(attributesOf(product({ currency: 'JPY' }), {}, { storeCurrency: undefined }).price).toEqual({
      value: '15',
      currency: 'JPY',
    });
  });

  it.each<[Partial<ShopProduct>, Partial<OfferAttributes>]>([
    [{ availability: 'out_of_stock' }, { availability: 'out_of_stock' }],
    [{ availability: 'backorder' }, { availability: 'out_of_stock' }],
    [
      { availability: 'backorder', availableOn: '2027-01-02T00:00:00+02:00' },
      { availability: 'backorder', availabilityDate: '2027-01-01T22:00:00Z' },
    ],
    [
      { availability: 'preorder', availableOn: '2027-01-02T03:04:05Z' },
      { availability: 'preorder', availabilityDate: '2027-01-02T03:04:05Z' },
    ],
  ])('given %j, is listed as %j where out of stock is included', (changes, expected) => {
    const attributes = attributesOf(product(changes), { include_out_of_stock: true });
    expect(attributes).toMatchObject(expected);
    expect('availabilityDate' in attributes).toBe('availabilityDate' in expected);
  });

  it('has a description in any case: its own, else the short one, else its title', () => {
    expect(attributesOf(product({ shortDescription: 'Short.' })).description).toBe('A shirt.');
    expect(attributesOf(product({ description: ' ', shortDescription: 'Short.' })).description).toBe('Short.');
    expect(attributesOf(product({ description: '' })).description).toBe('Shirt');
  });

  it.each([
    ['4006381333931', '4006381333931'],
    ['400638133393-1', '4006381333931'],
    ['96385074', '96385074'],
    ['036000291452', '036000291452'],
    ['10614141000415', '10614141000415'],
    ['4006381333930', undefined],
    ['123456789', undefined],
    ['00000000', undefined],
    ['not known', undefined],
    [null, undefined],
  ])('sends the GTIN %s as %s, and never says that it has none', (gtin, sent) => {
    const attributes = attributesOf(product({ gtin }));
    expect(attributes.gtin).toBe(sent);
    expect(JSON.stringify(attributes)).not.toMatch(/identifier/i);
  });
});

describe('a sale price', () => {
  const sale = (changes: Partial<ShopProduct>) => attributesOf(product({ salePrice: '12', ...changes }));

  it('counts below the regular price only', () => {
    expect(sale({}).salePrice).toEqual({ value: '12.00', currency: 'USD' });
    expect(sale({}).salePriceEffectiveDate).toBeUndefined();
    for (const salePrice of ['15', '15.01']) expect(sale({ salePrice }).salePrice).toBeUndefined();
  });

  it.each([
    ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', '2026-11-01T00:00:00Z/2026-12-01T00:00:00Z'],
    ['2026-11-01T00:00:00+01:00', null, '2026-10-31T23:00:00Z/2099-12-31T23:59:59Z'],
    [null, '2026-12-01T00:00Z', '2000-01-01T00:00:00Z/2026-12-01T00:00:00Z'],
  ])('from %s to %s is listed with its interval', (saleFrom, saleTo, interval) => {
    expect(sale({ saleFrom, saleTo }).salePriceEffectiveDate).toBe(interval);
  });

  it('that ends before it begins is none', () => {
    expect(sale({ saleFrom: '2026-12-01T00:00:00Z', saleTo: '2026-11-01T00:00:00Z' }).salePrice).toBeUndefined();
  });
});

describe('text', () => {
  it('is cut behind a word where one ends nearby, and never inside a character', () => {
    expect(attributesOf(product({ title: `${'word '.repeat(40)}end` })).title).toBe('word '.repeat(30).trim());
    expect(attributesOf(product({ title: '😀'.repeat(200) })).title).toBe('😀'.repeat(150));
    expect(attributesOf(product({ title: '😀'.repeat(150) })).title).toBe('😀'.repeat(150));
  });

  it('loses what XML forbids, and keeps its paragraphs', () => {
    const attributes = attributesOf(
      product({
        title: 'A\u0000 \u0008shirt\ufffe \ud800!\n',
        description: 'One\u000b\r\n\r\n\r\n\r\ntwo \u00a0 three',
      }),
    );
    expect(attributes.title).toBe('A shirt !');
    expect(attributes.description).toBe('One\n\ntwo three');
  });

  it('of whatever kind keeps to the limits and to what XML can hold', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 400 });
    const many = fc.array(text, { maxLength: 30 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(text, many, text, (title, description, value) => {
        const red = variation({ attributes: [{ name: 'Color', value }] });
        for (const { attributes } of map(variable([red], { title, description })).offers) {
          for (const [member, max] of [
            ['title', 150],
            ['description', 5_000],
            ['color', 100],
          ] as const) {
            const written = attributes[member] ?? '-';
            expect(Array.from(written).length).toBeLessThanOrEqual(max);
            expect(written).toBe(written.trim());
            expect(written).not.toBe('');
            expect(written).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
          }
        }
      }),
    );
  });
});

describe('a variable product', () => {
  const red = variation({
    id: '71',
    attributes: [
      { name: 'Color', value: 'Red' },
      { name: 'Size', value: 'M' },
    ],
  });
  const blue = variation({ id: '72', attributes: [{ name: 'Color', value: 'Blue' }], regularPrice: '12.00' });

  it('is one offer a variation, in one group, titled by their differences', () => {
    const { offers, exclusions } = map(variable([red, blue]));
    expect(exclusions).toEqual([]);
    expect(
      offers.map(({ offerId, productId, variationId, attributes }) => [
        ...[offerId, productId, variationId, attributes.title, attributes.itemGroupId],
        attributes.price.value,
      ]),
    ).toEqual([
      ['svc_71', '7', '71', 'Shirt - Red, M', 'svc_7', '15.00'],
      ['svc_72', '7', '72', 'Shirt - Blue', 'svc_7', '12.00'],
    ]);
    expect(offers[0]!.attributes).toMatchObject({
      color: 'Red',
      size: 'M',
      link: PRODUCT.link,
      description: 'A shirt.',
    });
  });

  it('keeps the difference of a variation when its title is shortened', () => {
    const { title } = map(variable([red], { title: 'long '.repeat(50) })).offers[0]!.attributes;
    expect(title).toMatch(/^(long )+- Red, M$/);
    expect(title.length).toBeLessThanOrEqual(150);
  });

  it('lends a variation what it lacks, but no identifier and no other’s sale', () => {
    const whole = variable([red, blue], {
      ...{ brand: 'Acme', gtin: '4006381333931', mpn: 'P', condition: 'used', weight: '2 kg', salePrice: '11' },
      attributes: [
        { name: 'Material', value: 'Cotton' },
        { name: 'Color', value: 'Any' },
      ],
    });
    const [first, second] = map(whole).offers.map(({ attributes }) => attributes);
    expect(first).toMatchObject({
      brand: 'Acme',
      condition: 'used',
      shippingWeight: '2 kg',
      material: 'Cotton',
      color: 'Red',
    });
    expect(first).toMatchObject({ salePrice: { value: '11.00' } });
    expect(second).not.toHaveProperty('salePrice');
    expect(first).not.toHaveProperty('gtin');
    expect(first).not.toHaveProperty('mpn');
    const own = variation({
      ...red,
      gtin: '96385074',
      images: ['https://shop.example/red.jpg'],
      link: 'https://shop.example/red',
    });
    expect(map(variable([own, blue])).offers[0]!.attributes).toMatchObject({
      gtin: '96385074',
      imageLink: 'https://shop.example/red.jpg',
      link: 'https://shop.example/red',
    });
  });

  it('does not take a GTIN that all variations have from the product for theirs', () => {
    const gtin = '4006381333931';
    const offers = map(variable([variation({ ...red, gtin }), variation({ ...blue, gtin })], { gtin })).offers;
    expect(offers.map(({ attributes }) => attributes.gtin)).toEqual([undefined, undefined]);
    expect(map(variable([variation({ ...red, gtin })], { gtin })).offers[0]!.attributes.gtin).toBe(gtin);
  });

  it('lists those variations that can be, and says of each other why not', () => {
    const sold = variation({ id: '73', availability: 'out_of_stock' });
    const draft = variation({ id: '74', published: false });
    const { offers, exclusions } = map(variable([red, sold, draft]));
    expect(offers.map(({ offerId }) => offerId)).toEqual(['svc_71']);
    expect(exclusions).toEqual([
      { productId: '7', variationId: '73', reasons: ['It is out of stock, and include_out_of_stock is off.'] },
      { productId: '7', variationId: '74', reasons: ['It is not published.'] },
    ]);
  });

  it('that is excluded takes its variations with it', () => {
    expect(map(variable([red, blue], { hidden: true }))).toEqual({
      offers: [],
      exclusions: [{ productId: '7', variationId: null, reasons: ['It is hidden from the catalogue.'] }],
    });
  });

  describe('without include_variations', () => {
    const alone = { include_variations: false } as const;

    it('is one offer of its own, at the price of its cheapest variation', () => {
      const { offers, exclusions } = map(variable([red, blue]), alone);
      expect(exclusions).toEqual([]);
      expect(offers).toHaveLength(1);
      expect(offers[0]).toMatchObject({ offerId: 'svc_7', productId: '7', variationId: null });
      expect(offers[0]!.attributes).toMatchObject({ title: 'Shirt', price: { value: '12.00' } });
      expect(offers[0]!.attributes).not.toHaveProperty('itemGroupId');
      expect(offers[0]!.attributes).not.toHaveProperty('color');
    });

    it('is at the price of one that can be had before a cheaper one that can not', () => {
      const sold = variation({ ...blue, availability: 'out_of_stock' });
      const settings = { ...alone, include_out_of_stock: true };
      expect(attributesOf(variable([sold, red]), settings)).toMatchObject({
        availability: 'in_stock',
        price: { value: '15.00' },
      });
      expect(attributesOf(variable([sold]), settings)).toMatchObject({ availability: 'out_of_stock' });
    });

    it('is excluded with the reasons of its variations when none can be listed', () => {
      const sold = variation({ ...blue, availability: 'out_of_stock' });
      const { offers, exclusions } = map(variable([sold]), alone);
      expect(offers).toEqual([]);
      expect(exclusions).toMatchObject([{ productId: '7', variationId: '72' }]);
    });
  });

  it('whatever it is made of: every variation is listed or excluded, once', () => {
    const one = fc.record({
      published: fc.boolean(),
      availability: fc.constantFrom(...(['in_stock', 'out_of_stock', 'backorder'] as const)),
      regularPrice: fc.constantFrom(null, '0', '1.50', 'x'),
      images: fc.constantFrom([], ['https://shop.example/v.jpg']),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), fc.boolean(), (given, includeSold) => {
        const variations = given.map((changes, index) => variation({ id: `v${index}`, ...changes }));
        const { offers, exclusions } = map(variable(variations), { include_out_of_stock: includeSold });
        const told = [...offers, ...exclusions].map(({ variationId }) => variationId);
        expect(told.sort()).toEqual(variations.map(({ id }) => id));
        expect(exclusions.every(({ reasons }) => reasons.length > 0)).toBe(true);
      }),
    );
  });
});

describe('feed settings', () => {
  it('map the deepest category that has a mapping, a parent’s for its children too', async () => {
    const settings: Partial<FeedSettings> = {
      category_mappings: [
        { source_category: 'Clothing', google_product_category: '1604' },
        { source_category: 'clothing>shirts', google_product_category: '212', product_type: 'Wear > Shirts' },
      ],
    };
    const known = Readable.from(['Clothing']);
    const options = { toText: (html: string) => html, findUnknown: false };
    const categories = await resolveCategories(settings.category_mappings ?? [], known, options);
    const listed = (...paths: string[]) => {
      const given = product({ categories: paths });
      const { googleProductCategory, productTypes } = attributesOf(given, settings, { categories });
      return [googleProductCategory, productTypes];
    };
    expect(listed('Clothing > Hats')).toEqual(['1604', ['Clothing > Hats']]);
    expect(listed('Clothing > Hats', 'Clothing > Shirts > Long')).toEqual(['212', ['Wear > Shirts']]);
    expect(listed('Clothing & more')).toEqual([undefined, ['Clothing & more']]);
    expect(listed()).toEqual([undefined, undefined]);
  });

  it('list the rates of shipping only in the mode rates', () => {
    const rates = [{ country: 'US', service: 'Ground', price: '4.9 USD' }];
    expect(attributesOf(product(), { shipping_settings: { mode: 'rates', rates } }).shipping).toEqual([
      { country: 'US', service: 'Ground', price: { value: '4.90', currency: 'USD' } },
    ]);
    expect(attributesOf(product(), { shipping_settings: { mode: 'account', rates } })).not.toHaveProperty('shipping');
    const wrong = [{ country: 'US', service: 'Ground', price: '4.999 USD' }];
    expect(reasonsOf(product(), { shipping_settings: { mode: 'rates', rates: wrong } })).toContain('4.999');
  });

  it.each([
    [
      'US',
      'rates',
      false,
      '15.00',
      [
        { country: 'US', rate: '8.25' },
        { country: 'DE', rate: '19' },
      ],
    ],
    ['DE', 'rates', false, '17.85', undefined],
    ['FR', 'rates', false, '15.00', undefined],
    ['US', 'rates', true, '15.00', undefined],
    ['DE', 'rates', true, '15.00', undefined],
    ['DE', 'account', false, '15.00', undefined],
  ] as const)(
    'given taxes for %s, mode %s, prices with tax: %s, list %s and tell %j',
    (country, mode, included, price, tax) => {
      const rates = [
        { country: 'US', rate: 8.25 },
        { country: 'DE', rate: 19 },
      ];
      const attributes = attributesOf(product(), {
        target_country: country,
        tax_settings: { mode, prices_include_tax: included, rates },
      });
      expect(attributes.price.value).toBe(price);
      expect(attributes.tax).toEqual(tax);
    },
  );
});
