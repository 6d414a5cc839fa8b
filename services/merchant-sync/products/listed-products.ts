import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import type { Mapped } from './domain/map-product';
import { exclusionOf, Misfit, PRODUCT_SOURCE, type ProductSource, SourceError } from '../sources/product-source';
import { ListingMapper } from './listing-mapper';
import { SavedSettings } from '../settings/saved-settings';

export const STORE_MISSING =
  'No store is configured. Set WOOCOMMERCE_URL with its key and secret, or PRODUCTS_JSON_URL.';

/** Spec 5: preview and download need no connection, but a shop. */
@Injectable()
export class ListedProducts {
  constructor(
    @Inject(PRODUCT_SOURCE) private readonly source: ProductSource | undefined,
    private readonly saved: SavedSettings,
    private readonly mapper: ListingMapper,
  ) {}

  /**
   * What becomes of each product of the shop, by the settings as they are now.
   * @throws DomainError module_disabled, entitlement_required, store_not_configured or store_unavailable
   */
  async *all(timeoutMs: number): AsyncGenerator<Mapped> {
    const { feed, offerPrefix } = await this.saved.ofWorkingModule();
    if (this.source === undefined) throw new DomainError('store_not_configured', STORE_MISSING);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { map } = await this.mapper.open({ feed, offerPrefix }, this.source.categories(signal));
      for await (const product of this.source.products(signal)) {
        yield product instanceof Misfit ? { offers: [], exclusions: [exclusionOf(product)] } : map(product);
      }
    } catch (error) {
      if (error instanceof SourceError) throw new DomainError('store_unavailable', error.message);
      if (!signal.aborted) throw error;
      throw new DomainError('store_unavailable', `The store was not read within ${timeoutMs / 1_000} seconds.`);
    }
  }
}
