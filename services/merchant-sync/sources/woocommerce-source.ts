import pLimit from 'p-limit';
import { z } from 'zod';
import type { Response } from 'undici';
import type { ShopProduct } from '../products/domain/product';
import { Misfit, type ProductSource, SourceError } from './product-source';
import { openShopClient, type ShopClient, type ShopClientOptions } from './shop-client';
import {
  categorySchema,
  pathOf,
  productOf,
  productSchema,
  settingSchema,
  currencySchema,
  variationSchema,
  type ShopFacts,
  type WooProduct,
} from './woocommerce-product';

/** The largest page that WooCommerce returns. */
const PAGE = 100;
/** Variable products whose variations are asked for at a time. */
const CONCURRENCY = 4;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** Times that pages are read again until something new comes: the last reaches some 25,000 objects back. */
const MAX_REREADS = 8;
/** Requests in a row without anything new. */
const MAX_IDLE = 300;
/** A shop may double while it is read, and a small one grow by so many. */
const MAX_GROWTH = 1_000;
/** Ids that a message names. */
const TOLD_IDS = 5;

const PRODUCT_FIELDS =
  'id,name,permalink,type,status,catalog_visibility,description,short_description,sku,global_unique_id,regular_price,' +
  'sale_price,date_on_sale_from_gmt,date_on_sale_to_gmt,stock_status,weight,shipping_class,categories,brands,images,' +
  'attributes,variations';
const VARIATION_FIELDS =
  'id,permalink,status,description,sku,global_unique_id,regular_price,sale_price,date_on_sale_from_gmt,' +
  'date_on_sale_to_gmt,stock_status,weight,shipping_class,image,attributes';

/** A product as it came; the rest of it is looked at when its turn comes. */
const listedSchema = z.looseObject({ id: z.int().min(1) });
type Listed = z.output<typeof listedSchema>;

interface WooAddress {
  /** Root of the site, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly secret: string;
}

/**
 * Products over WooCommerce's REST interface `wc/v3`, a page at a time, ascending by id. Key and secret
 * travel in the Authorization header alone.
 */
export function openWooCommerceSource(address: WooAddress, options: ShopClientOptions): ProductSource {
  const open = (signal: AbortSignal): WooReader =>
    new WooReader(address, openShopClient(new URL(address.url), options), signal);
  return {
    kind: 'woocommerce',
    async *products(signal) {
      const reader = open(signal);
      try {
        const facts = await reader.facts();
        for await (const page of reader.walk('products', { _fields: PRODUCT_FIELDS, status: 'any' }, listedSchema)) {
          yield* await reader.withVariations(page, facts);
        }
        if (reader.truncated !== undefined) throw reader.truncated;
      } finally {
        await reader.close();
      }
    },
    async *categories(signal) {
      const reader = open(signal);
      try {
        const categories = await reader.categories();
        for (const category of categories.values()) yield pathOf(category, { categories });
      } finally {
        await reader.close();
      }
    },
    async product(id, signal) {
      if (!/^[1-9]\d{0,15}$/.test(id)) return undefined;
      const reader = open(signal);
      try {
        const found = await reader.one(`products/${id}`, listedSchema);
        if (found === undefined || found['type'] === 'variation') return undefined;
        return await reader.understood(found, await reader.facts());
      } finally {
        await reader.close();
      }
    },
  };
}

class WooReader {
  private readonly authorization: string;
  /** Of the first product whose variations are not all there. */
  truncated: SourceError | undefined;

  constructor(
    private readonly address: WooAddress,
    private readonly client: ShopClient,
    private readonly signal: AbortSignal,
  ) {
    this.authorization = `Basic ${Buffer.from(`${address.key}:${address.secret}`).toString('base64')}`;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** What the shop says once for all products; a key that may read products alone is not told everything. */
  async facts(): Promise<ShopFacts> {
    const unit = await this.one('settings/products/woocommerce_weight_unit', settingSchema, UNTOLD);
    const currency = await this.one('data/currencies/current', currencySchema, UNTOLD);
    return { weightUnit: unit?.value, currency: currency?.code, categories: await this.categories() };
  }

  async categories(): Promise<ShopFacts['categories']> {
    const categories = new Map<number, z.output<typeof categorySchema>>();
    for await (const page of this.walk('products/categories', { _fields: 'id,name,parent' }, categorySchema)) {
      for (const category of page) categories.set(category.id, category);
    }
    return categories;
  }

  async withVariations(page: readonly Listed[], facts: ShopFacts): Promise<readonly (ShopProduct | Misfit)[]> {
    return pLimit(CONCURRENCY).map(page, (listed) =>
      this.understood(listed, facts).catch((error: unknown) => {
        if (!(error instanceof SourceError && (error.fault === 'malformed' || error.fault === 'truncated')))
          throw error;
        if (error.fault === 'truncated') this.truncated ??= error;
        return new Misfit(String(listed.id), error.message);
      }),
    );
  }

  /** @throws SourceError malformed, or truncated when variations are missing */
  async understood(listed: Listed, facts: ShopFacts): Promise<ShopProduct> {
    const product = parse(productSchema, listed, this.urlOf(`products/${listed.id}`));
    return productOf(product, await this.variationsOf(product), facts);
  }

  /** Undefined: the shop has none of this id, or answered one of `untold`. @throws SourceError */
  async one<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    untold: readonly number[] = [],
  ): Promise<z.output<Schema> | undefined> {
    const url = this.urlOf(path);
    const answer = await this.ask(url, (response) => readJson(response, url).then((body) => ({ body })), untold);
    return answer === undefined ? undefined : parse(schema, answer.body, url);
  }

  /** Undefined: the shop has none of this id, or answered one of `untold`. @throws SourceError */
  private ask<Answer>(url: URL, read: (response: Response) => Promise<Answer>, untold: readonly number[] = []) {
    const { signal, authorization } = this;
    const options = { signal, authorization, expected: [404, ...untold] };
    return this.client.get(url, options, async (response) => {
      if (response.ok) return read(response);
      if (!untold.includes(response.status)) await assertUnknownId(response, url);
      return undefined;
    });
  }

  /**
   * Every object of a collection, ascending by id, a page at a time, each once. wc/v3 pages by offset alone: it has
   * no filter for ids above one. So every page begins with an object that is known already. Where it does not,
   * objects before it were deleted or are not shown, and earlier pages are read again, twice as far back each time.
   * The count of the shop includes objects that it leaves out of its pages, because they can't be loaded or the key
   * may not see them. An offset behind the end is answered as an empty collection. So the end is reached when the
   * last known object is followed by none.
   *
   * Ends whatever the shop answers, and pauses before it reads anything again. Nothing comes of a collection that
   * belongs to a product which is gone.
   * @param expected ids that the shop names elsewhere: with all of them found the end needs no further page
   * @throws SourceError truncated, when fewer came than any answer announced, or not all that were expected
   */
  async *walk<Schema extends z.ZodType<{ readonly id: number }>>(
    path: string,
    query: Readonly<Record<string, string>>,
    schema: Schema,
    expected?: readonly number[],
  ): AsyncGenerator<readonly z.output<Schema>[]> {
    const missing = new Set(expected);
    let [lastId, seen, offset, announced, limit] = [0, 0, 0, 0, Infinity];
    // Requests since the last new object.
    let [rereads, idle] = [0, 0];
    // Whether places were passed that nothing is known of; and whether the end was found.
    let [skipped, ended] = [false, false];
    for (; !ended && idle <= MAX_IDLE && rereads <= MAX_REREADS && seen <= limit; idle += 1) {
      const page = await this.page(path, { ...query, offset }, schema);
      if (page === undefined) return;
      const { total, objects } = page;
      if (limit === Infinity) limit = 2 * total + MAX_GROWTH;
      // The least number of objects, whatever count the shop returns.
      announced = Math.max(announced, total, objects.length > 0 ? offset + objects.length : 0);
      const [first] = objects;
      const isBehindEnd = first === undefined && offset >= total;
      if (isBehindEnd && (offset === 0 || skipped)) {
        ended = true;
      } else if (isBehindEnd || (first !== undefined && offset > 0 && first.id > lastId && !skipped)) {
        await this.client.pause(rereads, this.signal);
        offset = Math.max(0, offset - PAGE * 2 ** rereads);
        rereads += 1;
      } else if (first === undefined) {
        // The fault may be temporary; otherwise the objects at these places are not shown.
        if (rereads > 0) {
          skipped = true;
          offset += PAGE;
        } else {
          await this.client.pause(rereads, this.signal);
          rereads = 1;
        }
      } else {
        const fresh = objects.filter(({ id }) => id > lastId);
        if (fresh.length > 0) {
          seen += fresh.length;
          lastId = fresh.at(-1)?.id ?? lastId;
          [rereads, idle] = [0, 0];
          for (const { id } of fresh) missing.delete(id);
          yield fresh;
        }
        const reachesEnd = offset + objects.length >= total;
        const isLastAlone = objects.length === 1 && fresh.length === 0;
        ended = reachesEnd && (isLastAlone || (expected !== undefined && missing.size === 0));
        if (objects.length === 1 && !reachesEnd) {
          // Too little for the next page to begin with something known.
          skipped = true;
          offset += 1;
        } else {
          offset += objects.length - 1;
        }
      }
    }
    if (ended && !skipped && seen >= announced && missing.size === 0) return;
    const where = shown(this.urlOf(path));
    const names = [...missing].slice(0, TOLD_IDS).join(', ');
    if (missing.size > 0) throw new SourceError('truncated', `${where} left out ${names}, which the product names.`);
    throw new SourceError(
      'truncated',
      seen < announced
        ? `${where} gave ${seen} of the ${announced} that it announced.`
        : `${where} gave ${seen} and did not end.`,
    );
  }

  /** Undefined: it belongs to a product which is gone. @throws SourceError */
  private async page<Schema extends z.ZodType<{ readonly id: number }>>(
    path: string,
    query: Readonly<Record<string, string | number>>,
    schema: Schema,
  ): Promise<{ readonly total: number; readonly objects: readonly z.output<Schema>[] } | undefined> {
    const url = this.urlOf(path, { ...query, per_page: PAGE, orderby: 'id', order: 'asc' });
    const answer = await this.ask(url, async (response) => {
      return { total: totalOf(response, url), body: await readJson(response, url) };
    });
    if (answer === undefined) return undefined;
    const objects = parse(z.array(schema), answer.body, url);
    if (objects.some(({ id }, index) => id <= (objects[index - 1]?.id ?? 0))) {
      throw new SourceError('malformed', `${shown(url)} does not list in the requested order of ids.`);
    }
    return { total: answer.total, objects };
  }

  private async variationsOf({ id, type, variations: named }: WooProduct) {
    if (type !== 'variable') return [];
    const variations: z.output<typeof variationSchema>[] = [];
    const path = `products/${id}/variations`;
    // The product may have been deleted since its page was read.
    for await (const page of this.walk(path, { _fields: VARIATION_FIELDS }, variationSchema, named)) {
      variations.push(...page);
    }
    return variations;
  }

  private urlOf(path: string, query: Readonly<Record<string, string | number>> = {}): URL {
    const url = new URL(`${this.address.url}/wp-json/wc/v3/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return url;
  }
}

/** Settings that a key may not see, or that an older shop does not have. */
const UNTOLD = [401, 403, 404];

const refusalSchema = z.object({ code: z.string() });

/**
 * A 404 is the shop's own only with WooCommerce's error code. Any other 404 comes from a proxy, or from a shop
 * whose interface is temporarily off, and does not mean that the product is gone.
 * @throws SourceError unavailable
 */
async function assertUnknownId(response: Response, url: URL): Promise<void> {
  const body = await readJson(response, url).catch(() => undefined);
  const code = refusalSchema.safeParse(body).data?.code ?? '';
  if (/^woocommerce_rest_(product|product_variation)_invalid_id$/.test(code)) return;
  throw new SourceError('unavailable', `${shown(url)} returned 404. Is WooCommerce's REST API enabled?`);
}

/** An address without its query. */
function shown({ origin, pathname }: URL): string {
  return origin + pathname;
}

function totalOf({ headers }: Response, url: URL): number {
  const total = headers.get('x-wp-total') ?? '';
  if (/^\d+$/.test(total)) return Number(total);
  throw new SourceError('malformed', `${shown(url)} does not say how many there are (X-WP-Total).`);
}

async function readJson(response: Response, url: URL): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_PAGE_BYTES) {
      throw new SourceError('too_large', `${shown(url)} answered more than ${MAX_PAGE_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch (error) {
    throw new SourceError(
      'malformed',
      `${shown(url)} returned no JSON. Is it WooCommerce's REST API, with permalinks on?`,
      { cause: error },
    );
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown, url: URL): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SourceError(
    'malformed',
    `${shown(url)} answered otherwise than WooCommerce does: ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}.`,
  );
}
