import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { temporaryDirectory } from '@sluice/testing';
import { merchantSyncSettings } from '../config/merchant-sync.settings';
import { startShopServer, type ShopPage, type ShopServer } from '../../../test/support/shop-server';
import type { ShopProduct } from '../products/domain/product';
import { openProductSource } from './open-product-source';
import { itReadsProducts } from './contract/product-source.contract';
import { Misfit, type ProductSource, type SourceError } from './product-source';

const never = new AbortController().signal;
const QUICK = { SOURCE_RETRY_BASE_MS: '1' };

function sourceOf(env: Readonly<Record<string, string>>): ProductSource {
  return openProductSource(readSettings({ ...QUICK, ...env }, merchantSyncSettings))!;
}

const woo = ({ url, key, secret }: ShopServer, env: Readonly<Record<string, string>> = {}) =>
  sourceOf({ WOOCOMMERCE_URL: url, WOOCOMMERCE_KEY: key, WOOCOMMERCE_SECRET: secret, ...env });

async function readAll(source: ProductSource): Promise<ShopProduct[]> {
  const products: ShopProduct[] = [];
  for await (const product of source.products(never)) {
    if (product instanceof Misfit) throw new Error(product.reason);
    products.push(product);
  }
  return products;
}

async function withMisfits(source: ProductSource): Promise<(ShopProduct | Misfit)[]> {
  const all: (ShopProduct | Misfit)[] = [];
  for await (const product of source.products(never)) all.push(product);
  return all;
}

const faultOf = (source: ProductSource): Promise<SourceError> =>
  readAll(source).then(
    () => Promise.reject(new Error('It was read to its end.')),
    (error: unknown) => error as SourceError,
  );

/** Ids of what a listing gives until it fails. */
async function beforeItEnds(source: ProductSource): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { id } of source.products(never)) ids.push(id);
  } catch (error) {
    expect(error).toMatchObject({ name: 'SourceError' });
  }
  return ids;
}

const SHIRTS = ['1', '2', '3', '4'].map((id) => ({
  id,
  title: `Shirt ${id}`,
  price: '10.00',
  link: `https://shop.example/${id}`,
  categories: [`Clothing > ${Number(id) % 2 === 0 ? 'Shirts' : 'Tops'}`],
  images: [`https://shop.example/${id}.jpg`],
  ...(id === '3' && {
    variations: ['Red', 'Blue'].map((color) => ({ id: `3-${color}`, attributes: { Color: color } })),
  }),
}));

describe('a WooCommerce shop', () => {
  itReadsProducts(async () => {
    const store = await startShopServer({ products: 250, variableEvery: 3 });
    store.remove(store.idAt(2) + 3);
    return {
      source: woo(store),
      ids: Array.from({ length: 250 }, (_, index) => String(store.idAt(index))),
      breakOff: () => store.fail({ kind: 'cut' }, { at: /products\?.*offset=99/, times: 99 }),
      announceMore: () => void (store.announceMore = 1),
      garble: () => store.fail({ kind: 'noise' }, { at: /products\?/ }),
      close: () => store.close(),
    };
  });
});

describe.each([
  ['an array', (total?: number) => JSON.stringify(total === undefined ? SHIRTS : [{ total }, ...SHIRTS], undefined, 2)],
  [
    'lines',
    (total?: number) =>
      [...(total === undefined ? [] : [{ total }]), ...SHIRTS].map((each) => `${JSON.stringify(each)}\n`).join(''),
  ],
])('products in JSON, as %s', (_, write) => {
  describe('in a file', () => {
    itReadsProducts(async () => {
      const folder = temporaryDirectory();
      const path = join(folder, 'products.json');
      await writeFile(path, `\ufeff${write(4)}`);
      return {
        source: sourceOf({ PRODUCTS_JSON_URL: `file:${path}` }),
        ids: ['1', '2', '3', '4'],
        breakOff: () => writeFile(path, write().slice(0, -30)),
        announceMore: () => writeFile(path, write(5)),
        garble: () => writeFile(path, `${write()}<?php`),
        close: () => Promise.resolve(),
      };
    });
  });

  describe('at an address', () => {
    itReadsProducts(async () => {
      let body = write(4);
      let length: number | undefined;
      const server = createServer((_request, response) => {
        if (length !== undefined) response.setHeader('Content-Length', length);
        response.write(body, () => (length === undefined ? response.end() : response.destroy()));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return {
        source: sourceOf({
          PRODUCTS_JSON_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/products?key=hunter2`,
        }),
        ids: ['1', '2', '3', '4'],
        breakOff: () => void (length = Buffer.byteLength(body) + 1),
        announceMore: () => void (body = write(5)),
        garble: () => void (body = `${write()}<?php`),
        close: async () => {
          server.closeAllConnections();
          server.close();
          await once(server, 'close');
        },
      };
    });
  });
});

describe('WooCommerce', () => {
  let store: ShopServer;

  beforeEach(async () => {
    store = await startShopServer({ products: 5, variableEvery: 5, currency: 'EUR' });
  });
  afterEach(() => store.close());

  it('is read with its products, paths of categories, unit and currency', async () => {
    store.edit(store.idAt(0), {
      catalog_visibility: 'hidden',
      sale_price: '.5',
      date_on_sale_from_gmt: '2026-11-01T00:00:00',
      global_unique_id: '4006381333931',
      stock_status: 'onbackorder',
    });
    store.edit(store.idAt(1), { status: 'draft', type: 'subscription', weight: '', regular_price: '' });
    const [first, second, , , variable] = await readAll(woo(store));
    expect(first).toEqual<ShopProduct>({
      id: '100',
      type: 'simple',
      published: true,
      hidden: true,
      title: 'Product 0 &amp; more',
      description: '<p>All about <strong>product 0</strong>.</p>\n',
      shortDescription: '<p>In short: 0.</p>\n',
      categories: ['Clothing > Shirts &amp; tops'],
      variations: [],
      sku: 'SKU-0',
      link: `${store.url}/product/product-0/`,
      images: [`${store.url}/images/0.jpg`],
      regularPrice: '10.00',
      salePrice: '0.5',
      saleFrom: '2026-11-01T00:00:00Z',
      saleTo: null,
      currency: 'EUR',
      availability: 'backorder',
      availableOn: null,
      brand: 'Acme',
      gtin: '4006381333931',
      mpn: null,
      condition: null,
      attributes: [{ name: 'Material', value: 'Cotton' }],
      shippingClass: null,
      weight: '0.5 kg',
    });
    expect(second).toMatchObject({ type: 'other', published: false, regularPrice: null, weight: null });
    expect(variable).toMatchObject({ type: 'variable', regularPrice: null, attributes: [{ name: 'Material' }] });
    expect(variable!.variations[1]).toMatchObject({
      id: '142',
      regularPrice: '24.01',
      images: [`${store.url}/images/4-1.jpg`],
      attributes: [{ name: 'Color', value: 'Green' }],
    });
  });

  it('is read without unit and currency by a key that may not see its settings', async () => {
    store.fail({ kind: 'status', status: 403 }, { at: /settings|currencies/, times: 9 });
    expect((await readAll(woo(store)))[0]).toMatchObject({ weight: null, currency: null });
  });

  it.each([
    ['status', { kind: 'status', status: 503 }],
    ['status with Retry-After', { kind: 'status', status: 429, retryAfter: '0' }],
    ['body', { kind: 'cut' }],
  ] as const)('is asked again after a passing fault of its %s', async (_, fault) => {
    store.fail(fault, { at: /products\?/, times: 3 });
    expect(await readAll(woo(store))).toHaveLength(5);
    expect(store.requests.filter((path) => /\/products\?.*offset=0&/.test(path))).toHaveLength(4);
  });

  it.each([
    ['never recovers', { kind: 'status', status: 500 }, 'unavailable', 5],
    ['wants to be left alone for long', { kind: 'status', status: 503, retryAfter: '3600' }, 'unavailable', 1],
    ['rejects the key', { kind: 'status', status: 401 }, 'unauthorized', 1],
    ['is somewhere else', { kind: 'redirect', location: 'http://127.0.0.1:1/wp-json' }, 'unavailable', 1],
    ['is no WooCommerce', { kind: 'noise' }, 'malformed', 1],
  ] as const)('that %s ends the listing', async (_, fault, expected, requests) => {
    store.fail(fault, { at: /products\?/, times: 99 });
    const error = await faultOf(woo(store));
    expect(error).toMatchObject({ name: 'SourceError', fault: expected });
    expect(error.message + JSON.stringify(error)).not.toContain(store.secret);
    expect(store.requests.filter((path) => path.includes('/products?'))).toHaveLength(requests);
  });

  it('that is silent counts as away', async () => {
    store.fail({ kind: 'silence' }, { times: 99 });
    expect(await faultOf(woo(store, { SOURCE_TIMEOUT_MS: '50' }))).toMatchObject({ fault: 'timeout' });
  });

  it('gets its key only in the header', async () => {
    await readAll(woo(store));
    expect(store.requests.length).toBeGreaterThan(3);
    expect(store.requests.join()).not.toMatch(new RegExp(`${store.key}|${store.secret}|consumer`));
    expect(await faultOf(woo({ ...store, secret: 'cs_wrong' }))).toMatchObject({ fault: 'unauthorized' });
  });

  it.each([
    ['the first one', 0],
    ['one that was read', 150],
    ['many', -1],
  ])('loses no product while %s is deleted behind the reader', async (_, place) => {
    store.count = 450;
    let read = 0;
    const ids: string[] = [];
    for await (const { id } of woo(store).products(never)) {
      ids.push(id);
      read += 1;
      if (read !== 199) continue;
      for (const index of place < 0 ? Array.from({ length: 130 }, (_each, at) => at) : [place])
        store.remove(store.idAt(index));
    }
    expect(ids).toEqual(Array.from({ length: 450 }, (_each, index) => String(store.idAt(index))));
  });

  it('may hold what a listing can do without in any form', async () => {
    const odd = { brands: '', global_unique_id: false, categories: false, attributes: {}, weight: [], sku: null };
    store.edit(store.idAt(0), { ...odd, short_description: {}, images: null });
    store.edit(store.idAt(4) + 1, { attributes: null, global_unique_id: {} });
    const [first, second, , , variable] = await readAll(woo(store));
    expect(first).toMatchObject({ brand: null, gtin: null, categories: [], attributes: [], weight: null, images: [] });
    expect(second).toMatchObject({ brand: 'Acme' });
    expect(variable!.variations[0]).toMatchObject({ attributes: [], gtin: null });
  });

  it('with a product that can not be understood gives all others, and says which and why', async () => {
    store.edit(store.idAt(0), { regular_price: { amount: 5 } });
    store.edit(store.idAt(4) + 1, { status: 7, permalink: false });
    const all = await withMisfits(woo(store));
    expect(all.map(({ id }) => id)).toEqual(['100', '110', '120', '130', '140']);
    const reason = 'products/100 answered otherwise than WooCommerce does: regular_price';
    expect(all[0]).toEqual(new Misfit('100', expect.stringContaining(reason) as string));
    expect(all[4]).toBeInstanceOf(Misfit);
    await expect(woo(store).product('100', never)).rejects.toMatchObject({ fault: 'malformed' });
  });

  it('has lost a product by its own words alone, not by just any 404', async () => {
    const id = String(store.idAt(4));
    store.fail({ kind: 'status', status: 404 }, { at: /products\/\d+/, times: 9 });
    await expect(woo(store).product(id, never)).rejects.toMatchObject({ fault: 'unavailable' });
    expect(await faultOf(woo(store))).toMatchObject({ fault: 'unavailable' });
  });

  const allIds = () => Array.from({ length: store.count }, (_each, index) => String(store.idAt(index)));
  const isProducts = ({ path }: ShopPage) => path === 'products';
  const emptyAt =
    (from: number, to: number, count: boolean) =>
    (page: ShopPage): Pick<ShopPage, 'total' | 'objects'> =>
      isProducts(page) && page.offset >= from && page.offset < to
        ? { objects: [], total: count ? page.total : 0 }
        : page;

  const firstAlone = (page: ShopPage) => (isProducts(page) ? { ...page, objects: page.objects.slice(0, 1) } : page);
  const sameAgain = (page: ShopPage) => (isProducts(page) ? { total: 1_000_000, objects: [{ id: 100 }] } : page);

  it.each<[string, () => void]>([
    ['caps its pages', () => (store.pageCap = 7)],
    ['counts too few', () => (store.distort = (page) => ({ ...page, total: Math.floor(page.total / 2) }))],
    [
      'answers an empty page once',
      () => {
        let left = 1;
        store.distort = (page) => (page.offset > 90 && left-- > 0 ? { objects: [], total: 0 } : page);
      },
    ],
  ])('that %s is read to its end all the same', async (_, misbehave) => {
    store.count = 250;
    misbehave();
    expect((await readAll(woo(store))).map(({ id }) => id)).toEqual(allIds());
  });

  it.each<[string, () => void, number]>([
    ['leaves out one product that it counts', () => store.hidden.add(store.idAt(99)), 249],
    [
      'leaves out many',
      () =>
        allIds()
          .slice(40, 160)
          .forEach((id) => store.hidden.add(Number(id))),
      130,
    ],
    [
      'leaves out the last ones',
      () =>
        allIds()
          .slice(-3)
          .forEach((id) => store.hidden.add(Number(id))),
      247,
    ],
    ['answers an empty page late, and counts nothing', () => (store.distort = emptyAt(190, 1_000, false)), 199],
    ['answers an empty page in its middle that still counts', () => (store.distort = emptyAt(99, 150, true)), 151],
    ['answers nothing but empty pages that count', () => (store.distort = emptyAt(0, 1_000, true)), 0],
    ['gives one product a page', () => (store.distort = firstAlone), 250],
    ['repeats one product at every place', () => (store.distort = sameAgain), 1],
    [
      'grows without end',
      () =>
        (store.distort = (page) =>
          isProducts(page)
            ? {
                total: page.offset + 200,
                objects: Array.from({ length: 100 }, (_, at) => ({ id: 100 + page.offset + at })),
              }
            : page),
      1_486,
    ],
  ])('that %s gives what it shows, ends, and never ends well', async (_, misbehave, shown) => {
    store.count = 250;
    misbehave();
    const ids = await beforeItEnds(woo(store));
    expect(ids).toHaveLength(shown);
    expect(new Set(ids).size).toBe(ids.length);
    const before = store.requests.length;
    expect(await faultOf(woo(store))).toMatchObject({ fault: expect.stringMatching(/truncated|malformed/) as string });
    expect(store.requests.length - before).toBeLessThan(700);
  });

  it.each([
    ['before what was read', 0, 130],
    ['behind it', 230, 400],
    ['around it', 100, 300],
  ])('that loses products %s gives all that stay, or does not end well', async (_, from, to) => {
    store.count = 450;
    const ids: string[] = [];
    let whole = true;
    try {
      for await (const { id } of woo(store).products(never)) {
        ids.push(id);
        if (ids.length === 199) for (let index = from; index < to; index += 1) store.remove(store.idAt(index));
      }
    } catch (error) {
      expect(error).toMatchObject({ fault: 'truncated' });
      whole = false;
    }
    const staying = allIds().filter((_id, index) => index < from || index >= to);
    expect(staying.filter((id) => !ids.includes(id))).toEqual([]);
    expect(whole).toBe(from === 0);
  });

  it('that answers no variations of a product that names some keeps its word for nothing', async () => {
    store.count = 10;
    store.distort = (page) => (page.path === 'products/140/variations' ? { objects: [], total: 0 } : page);
    const all: (ShopProduct | Misfit)[] = [];
    const reading = async () => {
      for await (const product of woo(store).products(never)) all.push(product);
    };
    await expect(reading()).rejects.toMatchObject({
      fault: 'truncated',
      message: expect.stringContaining('products/140/variations left out 141, 142, 143') as string,
    });
    expect(all.map(({ id }) => id)).toEqual(allIds());
    expect(all[4]).toBeInstanceOf(Misfit);
    expect(all[9]).toMatchObject({ variations: [{ id: '191' }, { id: '192' }, { id: '193' }] });
    await expect(woo(store).product('140', never)).rejects.toMatchObject({ fault: 'truncated' });
  });

  it('that shrinks to nothing is empty, not broken', async () => {
    store.count = 0;
    expect(await readAll(woo(store))).toEqual([]);
  });
});

describe('products in JSON', () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryDirectory();
  });

  async function file(text: string, env: Readonly<Record<string, string>> = {}): Promise<ProductSource> {
    const path = join(folder, 'products.json');
    await writeFile(path, text);
    return sourceOf({ PRODUCTS_JSON_URL: `file:${path}`, ...env });
  }

  it('need an id alone; all else is as if it were not there', async () => {
    const [product] = await readAll(await file('[{"id": 7, "colour": "red", "brand": null}]'));
    expect(product).toMatchObject({ id: '7', type: 'simple', published: true, hidden: false, title: '', brand: null });
  });

  it('may hold what a listing can do without in any form', async () => {
    const odd = { sku: 1, weight: 1.2, published: null, hidden: null, brand: [], gtin: {}, mpn: 3, categories: 'X' };
    const given = { ...odd, id: 'A', attributes: ['Red'], description: 7, availability: null, type: null };
    const [product, next] = await readAll(await file(JSON.stringify([given, { id: 'B' }])));
    expect(product).toMatchObject({ published: true, hidden: false, weight: null, brand: null, categories: [] });
    expect(next).toMatchObject({ id: 'B' });
  });

  it('may hold everything', async () => {
    const given = {
      ...{
        id: 'A',
        title: 'T',
        description: 'D',
        short_description: 'S',
        link: 'L',
        sku: 'K',
        price: 10.5,
        sale_price: '9',
      },
      ...{ sale_from: 'F', sale_to: 'U', currency: 'EUR', availability: 'preorder', available_on: 'O', brand: 'B' },
      ...{ gtin: 96385074, mpn: 'M', condition: 'used', shipping_class: 'C', weight: '1 kg', categories: ['X > Y'] },
      ...{ images: ['I'], attributes: { Color: ['Red', 'Blue'], Size: 'M' }, published: false, hidden: true },
    };
    expect(await readAll(await file(JSON.stringify([given])))).toEqual<ShopProduct[]>([
      {
        ...{
          id: 'A',
          type: 'simple',
          published: false,
          hidden: true,
          title: 'T',
          description: 'D',
          shortDescription: 'S',
        },
        ...{ link: 'L', sku: 'K', regularPrice: '10.5', salePrice: '9', saleFrom: 'F', saleTo: 'U', currency: 'EUR' },
        ...{ availability: 'preorder', availableOn: 'O', brand: 'B', gtin: '96385074', mpn: 'M', condition: 'used' },
        ...{ shippingClass: 'C', weight: '1 kg', categories: ['X > Y'], images: ['I'], variations: [] },
        attributes: [
          { name: 'Color', value: 'Red' },
          { name: 'Color', value: 'Blue' },
          { name: 'Size', value: 'M' },
        ],
      },
    ]);
  });

  it.each([
    ['[{"id":"1"},{"title":"x"}]', 'malformed', 'Product 2 of the listing is wrong: id'],
    [`[{"id":"${'x'.repeat(256)}"}]`, 'malformed', 'id'],
    ['', 'truncated', 'empty'],
    ['  \n', 'truncated', 'empty'],
    ['[{"id":"1"}', 'malformed', 'no JSON'],
    ['[{"id":"1"}, oops]', 'malformed', 'no JSON'],
    ['"products"', 'malformed', 'Product 1'],
    [`[{"id":"1","title":"${'x'.repeat(5_000)}"}]`, 'too_large', 'SOURCE_MAX_BYTES'],
  ])('like %.40s are refused', async (text, fault, told) => {
    const error = await faultOf(await file(text, { SOURCE_MAX_BYTES: '5000' }));
    expect(error).toMatchObject({ name: 'SourceError', fault });
    expect(error.message).toContain(told);
  });

  it.each([
    ['{"id":2,"availability":"maybe"}', 'Product 2 of the listing is wrong: availability'],
    ['{"id":"2","variations":[{"id":"3"},{}]}', 'variations.1.id'],
  ])('with %s give all others, and say which and why', async (misfit, reason) => {
    const source = await file(`[{"id":"1"},${misfit},{"id":"4"}]`);
    const all = await withMisfits(source);
    expect(all.map(({ id }) => id)).toEqual(['1', '2', '4']);
    expect(all[1]).toEqual(new Misfit('2', expect.stringContaining(reason) as string));
    await expect(source.product('2', never)).rejects.toMatchObject({ fault: 'malformed' });
    expect(await source.product('4', never)).toMatchObject({ id: '4' });
  });

  it('with one that does not tell its id give all others, and end badly', async () => {
    const source = await file('[{"id":"1"},{"availability":"maybe"},{"id":"3"}]');
    expect(await beforeItEnds(source)).toEqual(['1', '3']);
    expect((await faultOf(source)).message).toContain('Product 2');
  });

  it('hold to the size of one product', async () => {
    const error = await faultOf(await file(`{"id":"1"}\n{"id":"2","title":"${'x'.repeat(17 * 1024 * 1024)}"}`));
    expect(error).toMatchObject({ fault: 'too_large' });
    expect(error.message).toContain('One product');
  });

  it('of a store without products say so', async () => {
    expect(await readAll(await file('[]'))).toEqual([]);
    expect(await readAll(await file('{"total":0}'))).toEqual([]);
  });

  it('at an address with a secret in its path are named by their host alone', async () => {
    const error = await faultOf(sourceOf({ PRODUCTS_JSON_URL: 'http://127.0.0.1:1/hunter2/products.json' }));
    expect(error.message).toContain('http://127.0.0.1:1');
    expect(error.message + JSON.stringify(error)).not.toContain('hunter2');
  });

  it('that are not there are named by their setting', async () => {
    const error = await faultOf(sourceOf({ PRODUCTS_JSON_URL: `file:${join(folder, 'none.json')}` }));
    expect(error).toMatchObject({ fault: 'unavailable' });
    expect(error.message).toContain('PRODUCTS_JSON_URL');
  });
});

it('opens no source where none is set', () => {
  expect(openProductSource(readSettings({}, merchantSyncSettings))).toBeUndefined();
});
