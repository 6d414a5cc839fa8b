import { z } from 'zod';
import type { ProductSourceSettings } from '@sluice/config';
import type { Response } from 'undici';
import type { StoreProduct } from '../domain/product';
import { Misfit, type ProductSource, SourceError } from './product-source';
import { openStoreClient, type StoreClient, type StoreClientOptions } from './store-client';
import {
  categorySchema,
  productOf,
  productSchema,
  settingSchema,
  currencySchema,
  variationSchema,
  type StoreFacts,
  type WooProduct,
} from './woocommerce-product';

/** The most that WooCommerce gives out at once. */
const PAGE = 100;
/** Variable products whose variations are asked for at a time. */
const CONCURRENCY = 4;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

const PRODUCT_FIELDS =
  'id,name,permalink,type,status,catalog_visibility,description,short_description,sku,global_unique_id,regular_price,' +
  'sale_price,date_on_sale_from_gmt,date_on_sale_to_gmt,stock_status,weight,shipping_class,categories,brands,images,' +
  'attributes';
const VARIATION_FIELDS =
  'id,permalink,status,description,sku,global_unique_id,regular_price,sale_price,date_on_sale_from_gmt,' +
  'date_on_sale_to_gmt,stock_status,weight,shipping_class,image,attributes';

/** A product as it came; the rest of it is looked at when its turn comes. */
const listedSchema = z.looseObject({ id: z.int().min(1) });
type Listed = z.output<typeof listedSchema>;

type WooAddress = Extract<ProductSourceSettings['from'], { kind: 'woocommerce' }>;

/**
 * Products over WooCommerce's REST interface `wc/v3`, a page at a time, ascending by id. Key and secret
 * travel in the Authorization header alone.
 */
export function openWooCommerceSource(address: WooAddress, options: StoreClientOptions): ProductSource {
  const open = (signal: AbortSignal): WooReader =>
    new WooReader(address, openStoreClient(new URL(address.url), options), signal);
  return {
    kind: 'woocommerce',
    async *products(signal) {
      const reader = open(signal);
      try {
        const facts = await reader.facts();
        for await (const page of reader.walk('products', { _fields: PRODUCT_FIELDS, status: 'any' }, listedSchema)) {
          yield* await reader.withVariations(page, facts);
        }
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
        const [product] = await reader.withVariations([found], await reader.facts());
        if (product instanceof Misfit) throw new SourceError('malformed', product.reason);
        return product;
      } finally {
        await reader.close();
      }
    },
  };
}

class WooReader {
  private readonly authorization: string;

  constructor(
    private readonly address: WooAddress,
    private readonly client: StoreClient,
    private readonly signal: AbortSignal,
  ) {
    this.authorization = `Basic ${Buffer.from(`${address.key}:${address.secret}`).toString('base64')}`;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** What the store says once for all products; a key that may read products alone is not told everything. */
  async facts(): Promise<StoreFacts> {
    const unit = await this.one('settings/products/woocommerce_weight_unit', settingSchema, UNTOLD);
    const currency = await this.one('data/currencies/current', currencySchema, UNTOLD);
    const categories = new Map<number, z.output<typeof categorySchema>>();
    for await (const page of this.walk('products/categories', { _fields: 'id,name,parent' }, categorySchema)) {
      for (const category of page) categories.set(category.id, category);
    }
    return { weightUnit: unit?.value, currency: currency?.code, categories };
  }

  async withVariations(page: readonly Listed[], facts: StoreFacts): Promise<readonly (StoreProduct | Misfit)[]> {
    const products: (StoreProduct | Misfit)[] = [];
    const waiting = [...page.entries()];
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [index, listed] = next;
          products[index] = await this.understood(listed, facts).catch((error: unknown) => {
            if (error instanceof SourceError && error.fault === 'malformed') {
              return new Misfit(String(listed.id), error.message);
            }
            throw error;
          });
        }
      }),
    );
    return products;
  }

  private async understood(listed: Listed, facts: StoreFacts): Promise<StoreProduct> {
    const product = parse(productSchema, listed, this.urlOf(`products/${listed.id}`));
    return productOf(product, await this.variationsOf(product), facts);
  }

  /** Undefined: the store has none of this id, or answered one of `untold`. @throws SourceError */
  async one<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    untold: readonly number[] = [],
  ): Promise<z.output<Schema> | undefined> {
    const url = this.urlOf(path);
    const { signal, authorization } = this;
    const expected = [404, ...untold];
    const answer = await this.client.get(url, { signal, authorization, expected }, async (response) => {
      if (response.ok) return { body: await readJson(response, url) };
      if (!untold.includes(response.status)) await assertUnknownId(response, url);
      return undefined;
    });
    return answer === undefined ? undefined : parse(schema, answer.body, url);
  }

  /**
   * Every object of a collection, ascending by id. One that is deleted meanwhile moves all behind it to
   * the front: each page begins with one that is known already, and where it does not, earlier ones are
   * read again. Nothing comes of one that belongs to a product which is gone.
   * @throws SourceError truncated, when fewer came than the last answer announced
   */
  async *walk<Schema extends z.ZodType<{ readonly id: number }>>(
    path: string,
    query: Readonly<Record<string, string>>,
    schema: Schema,
  ): AsyncGenerator<readonly z.output<Schema>[]> {
    const { signal, authorization } = this;
    let [lastId, seen, offset] = [0, 0, 0];
    for (;;) {
      const url = this.urlOf(path, { ...query, per_page: PAGE, offset, orderby: 'id', order: 'asc' });
      const answer = await this.client.get(url, { signal, authorization, expected: [404] }, async (response) => {
        if (response.ok) return { total: totalOf(response, url), body: await readJson(response, url) };
        await assertUnknownId(response, url);
        return undefined;
      });
      if (answer === undefined) return;
      const page = parse(z.array(schema), answer.body, url);
      if (offset > 0 && (page[0]?.id ?? lastId) > lastId) {
        offset = Math.max(0, offset - PAGE);
        continue;
      }
      const fresh = page.filter(({ id }) => id > lastId);
      seen += fresh.length;
      lastId = fresh.at(-1)?.id ?? lastId;
      yield fresh;
      if (offset + PAGE >= answer.total) {
        if (seen >= answer.total) return;
        throw new SourceError('truncated', `${shown(url)} gave ${seen} of the ${answer.total} that it announced.`);
      }
      offset += PAGE - 1;
    }
  }

  private async variationsOf({ id, type }: WooProduct) {
    if (type !== 'variable') return [];
    const variations: z.output<typeof variationSchema>[] = [];
    const path = `products/${id}/variations`;
    // The product may have been deleted since its page was read.
    for await (const page of this.walk(path, { _fields: VARIATION_FIELDS }, variationSchema)) {
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

/** Settings that a key may not see, or that an older store does not have. */
const UNTOLD = [401, 403, 404];

const refusalSchema = z.object({ code: z.string() });

/**
 * A 404 is the store's own only in its words: any other comes from something in front of it, or of a store
 * whose interface is off for a while, and tells nothing of a product.
 * @throws SourceError unavailable
 */
async function assertUnknownId(response: Response, url: URL): Promise<void> {
  const body = await readJson(response, url).catch(() => undefined);
  const code = refusalSchema.safeParse(body).data?.code ?? '';
  if (/^woocommerce_rest_(product|product_variation)_invalid_id$/.test(code)) return;
  throw new SourceError('unavailable', `${shown(url)} answered 404. Is WooCommerce's REST interface on?`);
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
      `${shown(url)} answered no JSON. Is it WooCommerce's REST interface, with permalinks on?`,
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
