import { Inject, Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import {
  type FeedFormat,
  type FeedItem,
  type FeedPreview,
  makeFeed,
  previewFeed,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { canonicalJson, DomainError, newUlid } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import type { Mapped } from '../products/domain/map-product';
import { ListingMapper } from '../products/listing-mapper';
import { SavedSettings } from '../settings/saved-settings';
import { exclusionOf, Misfit, PRODUCT_SOURCE, type ProductSource, SourceError } from '../sources/product-source';
import { feedFile } from './feed-file';
import { feedItem } from './feed-item';

export const STORE_MISSING =
  'No shop is configured. Set WOOCOMMERCE_URL with its key and secret, or PRODUCTS_JSON_URL.';

/** The prefix of generated feeds, which are deleted by age. */
export const FEED_OBJECTS = 'feeds/';

/** Shorter than the gateway waits, and than a silent connection lives. */
const MAKE_TIMEOUT_MS = 100_000;
/** Half of the largest packet of the bus, because a response is one packet. */
const MAX_BYTES = 256 * 1024;
/** Shorter than the gateway waits. */
const PREVIEW_TIMEOUT_MS = 50_000;

/** Preview and download need a shop but no connection. */
@Injectable()
export class FeedHandlers {
  /** By all that makes feeds of one shop differ. */
  private readonly underWay = new Map<string, Promise<ReplyOf<typeof makeFeed>>>();

  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly saved: SavedSettings,
    @Inject(PRODUCT_SOURCE) private readonly source: ProductSource | undefined,
    private readonly mapper: ListingMapper,
  ) {}

  /** Concurrent requests for the same feed share one, because each reads the whole shop and writes an object. */
  @HandlesCommand(makeFeed)
  async request({ format }: RequestOf<typeof makeFeed>): Promise<ReplyOf<typeof makeFeed>> {
    const { feed, offerPrefix } = await this.saved.ofWorkingModule();
    const key = canonicalJson({ format, feed, offerPrefix });
    const making = this.underWay.get(key) ?? this.make(format).finally(() => this.underWay.delete(key));
    this.underWay.set(key, making);
    return making;
  }

  @HandlesQuery(previewFeed)
  async preview({ limit, offset }: RequestOf<typeof previewFeed>): Promise<FeedPreview> {
    const items: FeedPreview['items'] = [];
    const excluded: FeedPreview['excluded'] = [];
    let position = 0;
    let bytes = 0;
    /** Whether there is room for one more. */
    const takes = (entry: unknown): boolean => {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      return items.length + excluded.length < limit && (bytes <= MAX_BYTES || items.length + excluded.length === 0);
    };
    for await (const { offers, exclusions } of this.products(PREVIEW_TIMEOUT_MS)) {
      for (const offer of offers) {
        if (position >= offset) {
          const item = feedItem(offer);
          if (!takes(item)) return { items, excluded, next_offset: position };
          items.push(item);
        }
        position += 1;
      }
      for (const { productId, variationId, reasons } of exclusions) {
        if (position >= offset) {
          const told = { product_id: productId, variation_id: variationId, reasons: [...reasons] };
          if (!takes(told)) return { items, excluded, next_offset: position };
          excluded.push(told);
        }
        position += 1;
      }
    }
    return { items, excluded, next_offset: null };
  }

  private async make(format: FeedFormat): Promise<ReplyOf<typeof makeFeed>> {
    const objectKey = `${FEED_OBJECTS}${newUlid()}`;
    const file = feedFile(this.items(), { format, fallbackLink: this.publicUrl() });
    const { size } = await this.objects.put(objectKey, Readable.from(file, { objectMode: false }));
    return { objectKey, filename: `products.${format === 'rss' ? 'xml' : 'tsv'}`, size };
  }

  private async *items(): AsyncGenerator<FeedItem> {
    for await (const { offers } of this.products(MAKE_TIMEOUT_MS)) for (const offer of offers) yield feedItem(offer);
  }

  /**
   * What becomes of each product of the shop, by the settings as they are now.
   * @throws DomainError module_disabled, entitlement_required, store_not_configured or store_unavailable
   */
  private async *products(timeoutMs: number): AsyncGenerator<Mapped> {
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
      throw new DomainError('store_unavailable', `The shop was not read within ${timeoutMs / 1_000} seconds.`);
    }
  }
}
