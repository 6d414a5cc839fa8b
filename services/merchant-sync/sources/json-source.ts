import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import parser from 'stream-json/parser.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import type { ShopProduct } from '../products/domain/product';
import { announcedTotal, categoriesOf, readJsonProduct } from './json-product';
import { Misfit, type ProductSource, SourceError } from './product-source';
import { asSourceError, openShopClient, shown, type ShopClientOptions } from './shop-client';

/** Of one product with all its variations. */
const MAX_PRODUCT_BYTES = 16 * 1024 * 1024;

export interface JsonSourceOptions extends ShopClientOptions {
  /** Of a whole listing in JSON. */
  readonly maxBytes: number;
}

/**
 * Products from a JSON array or from JSON lines (docs/guides/listings-products.md), in a file (`file:PATH`) or at an
 * address. Read as it arrives: at most one product is held.
 */
export function openJsonSource(address: string, options: JsonSourceOptions): ProductSource {
  /** What is to be a product. @throws SourceError */
  async function* listed(signal: AbortSignal): AsyncGenerator {
    let count = 0;
    let announced: number | undefined;
    for await (const value of values(address, options, signal)) {
      if (count === 0 && announced === undefined) {
        announced = announcedTotal(value);
        if (announced !== undefined) continue;
      }
      count += 1;
      yield value;
    }
    if (announced !== undefined && count < announced) {
      throw new SourceError('truncated', `The listing ended after ${count} products; it announced ${announced}.`);
    }
  }

  async function* products(signal: AbortSignal): AsyncGenerator<ShopProduct | Misfit> {
    let count = 0;
    let nameless: SourceError | undefined;
    for await (const value of listed(signal)) {
      count += 1;
      const product = readJsonProduct(value, count);
      if (product instanceof SourceError) nameless ??= product;
      else yield product;
    }
    if (nameless !== undefined) throw nameless;
  }

  return {
    kind: 'json',
    products,
    async *categories(signal) {
      for await (const value of listed(signal)) yield* categoriesOf(value);
    },
    async product(id, signal) {
      for await (const product of products(signal)) {
        if (product.id !== id) continue;
        if (product instanceof Misfit) throw new SourceError('malformed', product.reason);
        return product;
      }
      return undefined;
    },
  };
}

/** The values of an array, or those that stand one behind the other. */
async function* values(address: string, options: JsonSourceOptions, signal: AbortSignal): AsyncGenerator {
  const budget = new Budget(options.maxBytes);
  const chunks = budget.watch(
    address.startsWith('file:') ? ofFile(address, signal) : ofAddress(address, options, signal),
  );
  const { first, all } = await peek(chunks);
  if (first === undefined)
    throw new SourceError('truncated', 'The product list is empty. A shop without products must return [].');
  const stage = first === '[' ? streamArray.asStream() : streamValues.asStream();
  const text = parser.asStream({ streamValues: false, packValues: true, jsonStreaming: first !== '[' });
  // The last stage throws what any of them does.
  pipeline(all, text, stage, () => undefined);
  try {
    for await (const { value } of stage as AsyncIterable<{ readonly value: unknown }>) {
      budget.spent();
      yield value;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new SourceError('malformed', `The listing is no JSON: ${words}.`, { cause: error });
  }
}

/** Holds a listing to its size, and each of its products. */
class Budget {
  private sinceProduct = 0;

  constructor(private readonly maxBytes: number) {}

  spent(): void {
    this.sinceProduct = 0;
  }

  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let total = 0;
    for await (const chunk of chunks) {
      total += chunk.length;
      this.sinceProduct += chunk.length;
      if (total > this.maxBytes) {
        throw new SourceError('too_large', `The listing has more than ${this.maxBytes} bytes (SOURCE_MAX_BYTES).`);
      }
      if (this.sinceProduct > MAX_PRODUCT_BYTES) {
        throw new SourceError('too_large', `One product of the listing has more than ${MAX_PRODUCT_BYTES} bytes.`);
      }
      yield chunk;
    }
  }
}

/** The first character that says something, and every chunk. */
async function peek(chunks: AsyncGenerator<Uint8Array>) {
  const seen: Uint8Array[] = [];
  let first: string | undefined;
  while (first === undefined) {
    const next = await chunks.next();
    if (next.done === true) break;
    seen.push(next.value);
    first = /[^\s\u{feff}]/u.exec(Buffer.from(next.value).toString())?.[0];
  }
  async function* all() {
    yield* seen;
    yield* chunks;
  }
  return { first, all };
}

async function* ofFile(address: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(address.slice('file:'.length).replace(/^\/\/(?=\/)/, ''), {
      signal,
    }) as AsyncIterable<Buffer>;
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    throw new SourceError('unavailable', `The file of PRODUCTS_JSON_URL can not be read (${code ?? 'failed'}).`, {
      cause: error,
    });
  }
}

async function* ofAddress(
  address: string,
  options: JsonSourceOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const url = new URL(address);
  const client = openShopClient(url, options);
  try {
    const accept = 'application/json, application/x-ndjson';
    const body = await client.get(url, { signal, accept }, ({ body }) => Promise.resolve(body));
    if (body === null) throw new SourceError('malformed', `${shown(url)} returned an empty response.`);
    yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal.throwIfAborted();
    throw asSourceError(error, url);
  } finally {
    await client.close();
  }
}
