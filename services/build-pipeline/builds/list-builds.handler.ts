import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { listBuilds, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { buildRows, buildsProjection, toBuild } from './builds.projection';
import { BuildsAsOf } from './builds-as-of';

export class ListBuilds extends QueryOf(listBuilds) {}

@QueryHandler(ListBuilds)
export class ListBuildsHandler implements IQueryHandler<ListBuilds> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly past: BuildsAsOf,
  ) {}

  async execute({ request }: ListBuilds): Promise<ReplyOf<typeof listBuilds>> {
    const { appId, channel, status, asOf, page, perPage } = request;
    if (asOf !== undefined) {
      return this.past.page({ appId, asOf, channel, status, page, perPage });
    }
    const where = {
      app_id: appId,
      ...(channel !== undefined && { channel }),
      ...(status !== undefined && { status }),
    };
    const rows = this.readStore.view(buildsProjection.name, buildRows);
    const total = await rows.count(where);
    const newer = (page - 1) * perPage;
    const limit = Math.min(perPage, total - newer);
    if (limit <= 0) return { items: [], total };
    // Rows before a page are passed over one by one: from the end that has fewer.
    const older = total - newer - limit;
    const [offset, direction] = older < newer ? ([older, 'asc'] as const) : ([newer, 'desc'] as const);
    const sort = [
      ['position', direction],
      ['id', direction],
    ] as const;
    const found = await rows.find({ where, sort, offset, limit });
    const items = found.map(toBuild);
    return { items: direction === 'asc' ? items.reverse() : items, total };
  }
}
