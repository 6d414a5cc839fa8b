import type { Exclusion } from '../products/domain/offer';
import type { ShopProduct } from '../products/domain/product';

/** Injection token of the ProductSource that the settings name; undefined when they name none. */
export const PRODUCT_SOURCE = Symbol('ProductSource');

/** The shop's own interface to its products. Read-only. */
export interface ProductSource {
  readonly kind: 'woocommerce' | 'json';
  /**
   * Every product of the shop, each once, in a stable order, variations within their products. Memory
   * does not grow with the number of products. Ends only when the listing is whole: where one of them does not
   * even tell its id all others are given, and then it is `malformed`.
   * @throws SourceError when it can't be read to its end, `truncated` when it ended before the count that it announced
   */
  products(signal: AbortSignal): AsyncIterable<ShopProduct | Misfit>;
  /**
   * Paths from the root of every category that a product of the shop may be in, as products name them. A path may
   * come more than once, and those above it may be left out. Memory does not grow with the number of products.
   * @throws SourceError when they can't be read to their end
   */
  categories(signal: AbortSignal): AsyncIterable<string>;
  /** Undefined: the shop has none of this id. @throws SourceError, malformed when it can't be understood */
  product(id: string, signal: AbortSignal): Promise<ShopProduct | undefined>;
}

/** A product of the shop that can't be understood. */
export class Misfit {
  constructor(
    readonly id: string,
    /** A sentence for a person. */
    readonly reason: string,
  ) {}
}

export function exclusionOf({ id, reason }: Misfit): Exclusion {
  return { productId: id, variationId: null, reasons: [reason] };
}

export type SourceFault =
  | 'unavailable'
  | 'timeout'
  | 'unauthorized'
  | 'malformed'
  | 'truncated'
  | 'too_large'
  | 'address_refused'
  /** No source is configured. */
  | 'missing';

/** A sentence for a person, without keys or secrets, that names the shop's answer and what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    readonly fault: SourceFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
