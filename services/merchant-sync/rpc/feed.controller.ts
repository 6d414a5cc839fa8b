import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FeedPreview, makeFeed, previewFeed, type ReplyOf, type RequestOf } from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { MakeFeed } from '../application/feed/make-feed.handler';
import { PreviewFeed } from '../application/feed/preview-feed.handler';

@Controller()
export class FeedController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(previewFeed)
  preview(request: RequestOf<typeof previewFeed>): Promise<FeedPreview> {
    return this.queries.execute(new PreviewFeed(request));
  }

  @Handles(makeFeed)
  make({ format }: RequestOf<typeof makeFeed>): Promise<ReplyOf<typeof makeFeed>> {
    return this.commands.execute(new MakeFeed(format));
  }
}
