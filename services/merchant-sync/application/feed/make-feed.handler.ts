import { Readable } from 'node:stream';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { FeedFormat, FeedItem, makeFeed, ReplyOf } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/engines';
import { newUlid } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { feedFile } from '../../feed/feed-file';
import { feedItem } from '../../feed/feed-item';
import { ListedProducts } from '../products/listed-products';

/** Where generated feeds lie, until they go by age. */
export const FEED_OBJECTS = 'feeds/';

/** Shorter than the gateway waits, and than a silent connection lives. */
const TIMEOUT_MS = 100_000;

export class MakeFeed extends Command<ReplyOf<typeof makeFeed>> {
  constructor(readonly format: FeedFormat) {
    super();
  }
}

@CommandHandler(MakeFeed)
export class MakeFeedHandler implements ICommandHandler<MakeFeed> {
  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly products: ListedProducts,
  ) {}

  async execute({ format }: MakeFeed): Promise<ReplyOf<typeof makeFeed>> {
    const objectKey = `${FEED_OBJECTS}${newUlid()}`;
    const file = feedFile(this.items(), { format, fallbackLink: this.publicUrl() });
    const { size } = await this.objects.put(objectKey, Readable.from(file, { objectMode: false }));
    return { objectKey, filename: `products.${format === 'rss' ? 'xml' : 'tsv'}`, size };
  }

  private async *items(): AsyncGenerator<FeedItem> {
    for await (const { offers } of this.products.all(TIMEOUT_MS)) for (const offer of offers) yield feedItem(offer);
  }
}
