import { Readable } from 'node:stream';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type FeedFormat, type FeedItem, makeFeed, type ReplyOf } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import { canonicalJson, newUlid } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { feedFile } from './feed-file';
import { feedItem } from './feed-item';
import { ListedProducts } from '../products/listed-products';
import { SavedSettings } from '../settings/saved-settings';

/** Where generated feeds lie, until they go by age. */
export const FEED_OBJECTS = 'feeds/';

/** Shorter than the gateway waits, and than a silent connection lives. */
const TIMEOUT_MS = 100_000;

export class MakeFeed extends CommandOf(makeFeed) {}

/** Who asks for a feed while the same one is being made gets that: each reads the whole store and fills an object. */
@CommandHandler(MakeFeed)
export class MakeFeedHandler implements ICommandHandler<MakeFeed> {
  /** By all that makes feeds of one store differ. */
  private readonly underWay = new Map<string, Promise<ReplyOf<typeof makeFeed>>>();

  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly saved: SavedSettings,
    private readonly products: ListedProducts,
  ) {}

  async execute({ request: { format } }: MakeFeed): Promise<ReplyOf<typeof makeFeed>> {
    const { feed, offerPrefix } = await this.saved.ofWorkingModule();
    const key = canonicalJson({ format, feed, offerPrefix });
    const making = this.underWay.get(key) ?? this.make(format).finally(() => this.underWay.delete(key));
    this.underWay.set(key, making);
    return making;
  }

  private async make(format: FeedFormat): Promise<ReplyOf<typeof makeFeed>> {
    const objectKey = `${FEED_OBJECTS}${newUlid()}`;
    const file = feedFile(this.items(), { format, fallbackLink: this.publicUrl() });
    const { size } = await this.objects.put(objectKey, Readable.from(file, { objectMode: false }));
    return { objectKey, filename: `products.${format === 'rss' ? 'xml' : 'tsv'}`, size };
  }

  private async *items(): AsyncGenerator<FeedItem> {
    for await (const { offers } of this.products.all(TIMEOUT_MS)) for (const offer of offers) yield feedItem(offer);
  }
}
