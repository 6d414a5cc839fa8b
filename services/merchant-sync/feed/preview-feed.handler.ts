import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type FeedPreview, previewFeed } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { feedItem } from './feed-item';
import { ListedProducts } from '../products/listed-products';

/** Half of what a packet of the bus may have: an answer is sent as one. */
const MAX_BYTES = 256 * 1024;
/** Shorter than the gateway waits. */
const TIMEOUT_MS = 50_000;

export class PreviewFeed extends QueryOf(previewFeed) {}

@QueryHandler(PreviewFeed)
export class PreviewFeedHandler implements IQueryHandler<PreviewFeed> {
  constructor(private readonly products: ListedProducts) {}

  async execute({ request: { limit, offset } }: PreviewFeed): Promise<FeedPreview> {
    const items: FeedPreview['items'] = [];
    const excluded: FeedPreview['excluded'] = [];
    let position = 0;
    let bytes = 0;
    /** Whether there is room for one more. */
    const takes = (entry: unknown): boolean => {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      return items.length + excluded.length < limit && (bytes <= MAX_BYTES || items.length + excluded.length === 0);
    };
    for await (const { offers, exclusions } of this.products.all(TIMEOUT_MS)) {
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
}
