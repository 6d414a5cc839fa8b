import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As wc/v3 publishes a product; what a test does not name is made of its number. */
export type WireProduct = Record<string, unknown> & { readonly id: number };

export type StoreFault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** Takes the request and says nothing. */
  | { readonly kind: 'silence' }
  /** Breaks off in the middle of the body. */
  | { readonly kind: 'cut' }
  /** A whole answer that is no JSON. */
  | { readonly kind: 'noise' }
  | { readonly kind: 'redirect'; readonly location: string };

/** A page of a collection, before it is sent. */
export interface ShopPage {
  /** Below `/wc/v3/`, for example `products`. */
  readonly path: string;
  readonly offset: number;
  /** X-WP-Total. */
  readonly total: number;
  readonly objects: readonly { readonly id: number }[];
}

export interface StoreOptions {
  readonly products?: number;
  /** Each so many-th product is variable, with three variations; 0: none. */
  readonly variableEvery?: number;
  readonly currency?: string;
}

/** A WooCommerce on loopback, whose products are made when they are asked for. */
export interface ShopServer {
  /** For WOOCOMMERCE_URL; with `key` and `secret`. */
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  /** Paths with their queries, in the order they came. */
  readonly requests: string[];
  /** How many there are now; fewer: the last ones are gone. */
  count: number;
  /** X-WP-Total says so many more than there are. */
  announceMore: number;
  /** Ids that pages leave out and X-WP-Total counts, as WooCommerce does with what it can't load. */
  readonly hidden: Set<number>;
  /** The most that a page has, whatever is asked for. */
  pageCap: number;
  /** What becomes of each page. */
  distort: (page: ShopPage) => Pick<ShopPage, 'total' | 'objects'>;
  /** Id of the product at this place, from 0 on. */
  idAt(index: number): number;
  /** Changes a product or a variation. */
  edit(id: number, changes: Readonly<Record<string, unknown>>): void;
  remove(id: number): void;
  /** Nothing is removed any more. */
  restore(): void;
  /** Meets the next `times` requests whose path and query fit. */
  fail(fault: StoreFault, options?: { readonly at?: RegExp; readonly times?: number }): void;
  /** No fault any more. */
  repair(): void;
  /** Called before each answer. */
  onRequest: (path: string) => void;
  close(): Promise<void>;
}

const KEY = 'ck_0123456789abcdef0123456789abcdef01234567';
const SECRET = 'cs_76543210fedcba9876543210fedcba9876543210';
const ROOT = '/wp-json/wc/v3/';
const VARIATIONS = 3;
/** Ids between two products belong to variations. */
const STEP = 10;
const COLORS = ['Red', 'Green', 'Blue'];

export async function startShopServer(options: StoreOptions = {}): Promise<ShopServer> {
  const { variableEvery = 10, currency = 'USD' } = options;
  const edits = new Map<number, Readonly<Record<string, unknown>>>();
  const removed = new Set<number>();
  const faults: { fault: StoreFault; at: RegExp; times: number }[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const idAt = (index: number) => 100 + index * STEP;
  const indexOf = (id: number) => (id - 100) / STEP;
  const isVariable = (index: number) => variableEvery > 0 && index % variableEvery === variableEvery - 1;
  const there = (id: number) =>
    Number.isInteger(indexOf(id)) && id >= 100 && indexOf(id) < store.count && !removed.has(id);

  function product(id: number): WireProduct {
    const index = indexOf(id);
    const variable = isVariable(index);
    const price = `${10 + (index % 90)}.${String(index % 100).padStart(2, '0')}`;
    return {
      id,
      name: `Product ${index} &amp; more`,
      slug: `product-${index}`,
      permalink: `${url}/product/product-${index}/`,
      date_created: '2026-01-01T10:00:00',
      date_created_gmt: '2026-01-01T09:00:00',
      date_modified: '2026-01-01T10:00:00',
      date_modified_gmt: '2026-01-01T09:00:00',
      type: variable ? 'variable' : 'simple',
      status: 'publish',
      featured: false,
      catalog_visibility: 'visible',
      description: `<p>All about <strong>product ${index}</strong>.</p>\n`,
      short_description: `<p>In short: ${index}.</p>\n`,
      sku: `SKU-${index}`,
      global_unique_id: '',
      price,
      regular_price: variable ? '' : price,
      sale_price: '',
      date_on_sale_from: null,
      date_on_sale_from_gmt: null,
      date_on_sale_to: null,
      date_on_sale_to_gmt: null,
      on_sale: false,
      purchasable: true,
      total_sales: 0,
      virtual: false,
      downloadable: false,
      downloads: [],
      download_limit: -1,
      download_expiry: -1,
      external_url: '',
      button_text: '',
      tax_status: 'taxable',
      tax_class: '',
      manage_stock: false,
      stock_quantity: null,
      backorders: 'no',
      backorders_allowed: false,
      backordered: false,
      low_stock_amount: null,
      sold_individually: false,
      weight: '0.5',
      dimensions: { length: '', width: '', height: '' },
      shipping_required: true,
      shipping_taxable: true,
      shipping_class: '',
      shipping_class_id: 0,
      reviews_allowed: true,
      average_rating: '0.00',
      rating_count: 0,
      upsell_ids: [],
      cross_sell_ids: [],
      parent_id: 0,
      purchase_note: '',
      categories: [{ id: 12, name: 'Shirts &amp; tops', slug: 'shirts' }],
      brands: [{ id: 5, name: 'Acme', slug: 'acme' }],
      tags: [],
      images: [{ id: id * 2, src: `${url}/images/${index}.jpg`, name: `${index}.jpg`, alt: '' }],
      attributes: [
        {
          id: 2,
          name: 'Material',
          slug: 'pa_material',
          position: 1,
          waitForReaders: true,
          variation: false,
          options: ['Cotton'],
        },
        ...(variable
          ? [
              {
                id: 1,
                name: 'Color',
                slug: 'pa_color',
                position: 0,
                waitForReaders: true,
                variation: true,
                options: COLORS,
              },
            ]
          : []),
      ],
      default_attributes: [],
      variations: variable ? variationIds(id) : [],
      grouped_products: [],
      menu_order: 0,
      price_html: '',
      related_ids: [],
      meta_data: [],
      stock_status: 'instock',
      has_options: variable,
      post_password: '',
      ...edits.get(id),
    };
  }

  const variationIds = (id: number) =>
    Array.from({ length: VARIATIONS }, (_, index) => id + 1 + index).filter((each) => !removed.has(each));

  function variation(id: number): WireProduct {
    const number = (id % STEP) - 1;
    const parent = id - number - 1;
    const index = indexOf(parent);
    const color = COLORS[number] ?? '';
    const price = `${20 + (index % 80)}.${String(number).padStart(2, '0')}`;
    return {
      id,
      type: 'variation',
      description: '',
      permalink: `${url}/product/product-${index}/?attribute_pa_color=${color.toLowerCase()}`,
      sku: `SKU-${index}-${number}`,
      global_unique_id: '',
      price,
      regular_price: price,
      sale_price: '',
      date_on_sale_from: null,
      date_on_sale_from_gmt: null,
      date_on_sale_to: null,
      date_on_sale_to_gmt: null,
      on_sale: false,
      status: 'publish',
      purchasable: true,
      virtual: false,
      downloadable: false,
      tax_status: 'taxable',
      tax_class: '',
      manage_stock: false,
      stock_quantity: null,
      stock_status: 'instock',
      backorders: 'no',
      weight: '0.5',
      dimensions: { length: '', width: '', height: '' },
      shipping_class: '',
      shipping_class_id: 0,
      image: { id: id * 2, src: `${url}/images/${index}-${number}.jpg`, name: '', alt: '' },
      attributes: [{ id: 1, name: 'Color', slug: 'pa_color', option: color }],
      menu_order: number + 1,
      meta_data: [],
      name: color,
      parent_id: parent,
      ...edits.get(id),
    };
  }

  const CATEGORIES = [
    { id: 11, name: 'Clothing', slug: 'clothing', parent: 0 },
    { id: 12, name: 'Shirts &amp; tops', slug: 'shirts', parent: 11 },
  ];

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    requests.push(path);
    store.onRequest(path);
    const hit = faults.find(({ at, times }) => times > 0 && at.test(path));
    if (hit !== undefined) hit.times -= 1;
    const fault = hit?.fault;
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'redirect') {
      response.writeHead(302, { Location: fault.location }).end();
      return;
    }
    if (fault?.kind === 'status') {
      const headers = fault.retryAfter === undefined ? {} : { 'Retry-After': fault.retryAfter };
      send(
        response,
        fault.status,
        { code: 'internal_server_error', message: 'Busy.', data: { status: fault.status } },
        headers,
      );
      return;
    }
    if (fault?.kind === 'noise') {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Maintenance</title>');
      return;
    }
    const { status, body, headers } = reply(request, new URL(path, url));
    if (fault?.kind !== 'cut') {
      send(response, status, body, headers);
      return;
    }
    const bytes = Buffer.from(JSON.stringify(body));
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  }

  function reply(request: IncomingMessage, { pathname, searchParams }: URL): Reply {
    const expected = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString('base64')}`;
    if (!pathname.startsWith(ROOT)) return refuse(404, 'rest_no_route', 'No route was found.');
    if (request.headers.authorization !== expected) {
      return refuse(401, 'woocommerce_rest_cannot_view', 'Sorry, you cannot list resources.');
    }
    const path = pathname.slice(ROOT.length);
    if (path === 'data/currencies/current') return ok({ code: currency, name: currency, symbol: '&#36;' });
    if (path === 'settings/products/woocommerce_weight_unit') {
      return ok({ id: 'woocommerce_weight_unit', label: 'Weight unit', type: 'select', default: 'kg', value: 'kg' });
    }
    if (path === 'products/categories')
      return collection(path, searchParams, CATEGORIES.length, (at) => CATEGORIES[at]!);
    if (path === 'products') {
      const gone = [...removed].map(indexOf).filter((index) => Number.isInteger(index) && index < store.count);
      gone.sort((a, b) => a - b);
      const placed = (at: number) => gone.reduce((place, index) => (index <= place ? place + 1 : place), at);
      return collection(path, searchParams, store.count - gone.length, (at) => product(idAt(placed(at))));
    }
    const [, id, variations] = /^products\/(\d+)(\/variations)?$/.exec(path) ?? [];
    if (id === undefined) return refuse(404, 'rest_no_route', 'No route was found.');
    if (!there(Number(id))) return refuse(404, 'woocommerce_rest_product_invalid_id', 'Invalid ID.');
    if (variations === undefined) return ok(product(Number(id)));
    const ids = isVariable(indexOf(Number(id))) ? variationIds(Number(id)) : [];
    return collection(path, searchParams, ids.length, (at) => variation(ids[at]!));
  }

  /** One page, as the query says; 10 a page, ids descending, as long as it says nothing. */
  function collection(
    path: string,
    query: URLSearchParams,
    size: number,
    at: (index: number) => { id: number },
  ): Reply {
    const perPage = Number(query.get('per_page') ?? 10);
    if (!Number.isInteger(perPage) || perPage < 1 || perPage > 100) {
      return refuse(400, 'rest_invalid_param', 'Invalid parameter(s): per_page');
    }
    const offset = Number(query.get('offset') ?? (Number(query.get('page') ?? 1) - 1) * perPage);
    const fields = query.get('_fields')?.split(',');
    const length = Math.max(0, Math.min(perPage, store.pageCap, size - offset));
    const found = Array.from({ length }, (_, index) => {
      const place = offset + index;
      return at(query.get('order') === 'asc' ? place : size - 1 - place);
    });
    // Behind the end WooCommerce counts nothing; categories are counted apart.
    const isCounted = length > 0 || offset === 0 || path === 'products/categories';
    const { total, objects } = store.distort({
      ...{ path, offset, objects: found.filter(({ id }) => !store.hidden.has(id)) },
      total: isCounted ? size + (path === 'products' ? store.announceMore : 0) : 0,
    });
    const body = objects.map((object) =>
      Object.fromEntries(Object.entries(object).filter(([name]) => fields?.includes(name) !== false)),
    );
    const headers = { 'X-WP-Total': String(total), 'X-WP-TotalPages': String(Math.ceil(total / perPage)) };
    return { status: 200, body, headers };
  }

  const store: ShopServer = {
    ...{ url, key: KEY, secret: SECRET, requests },
    ...{ count: options.products ?? 10, announceMore: 0, onRequest: () => undefined },
    ...{ hidden: new Set(), pageCap: 100, distort: (page) => page },
    idAt,
    edit: (id, changes) => edits.set(id, { ...edits.get(id), ...changes }),
    remove: (id) => removed.add(id),
    restore: () => removed.clear(),
    fail: (fault, { at = /./, times = 1 } = {}) => faults.push({ fault, at, times }),
    repair: () => void faults.splice(0),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return store;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const ok = (body: unknown): Reply => ({ status: 200, body });
const refuse = (status: number, code: string, message: string): Reply => ({
  status,
  body: { code, message, data: { status } },
});

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8', ...headers });
  response.end(JSON.stringify(body));
}
