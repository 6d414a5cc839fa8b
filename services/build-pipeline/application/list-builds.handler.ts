import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { listBuilds, ReplyOf, RequestOf } from '@sluice/contracts';
import { READ_STORE, type DocumentStore } from '@sluice/document-store';
import { buildRows, buildsProjection, toBuild } from '../projections/builds.projection';
import { BuildsAsOf } from './builds-as-of';

export class ListBuilds extends Query<ReplyOf<typeof listBuilds>> {
  constructor(readonly request: RequestOf<typeof listBuilds>) {
    super();
  }
}

@QueryHandler(ListBuilds)
export class ListBuildsHandler implements IQueryHandler<ListBuilds> {
  constructor(
    @Inject(READ_STORE) private readonly readStore: DocumentStore,
    private readonly past: BuildsAsOf,
  ) {}

  async execute({ request }: ListBuilds): Promise<ReplyOf<typeof listBuilds>> {
    const { appId, channel, status, asOf, page, perPage } = request;
    if (asOf !== undefined) {
      const rows = await this.past.rows({ appId, asOf, channel });
      const matching = rows.filter((row) => status === undefined || row.status === status);
      return { items: matching.slice((page - 1) * perPage, page * perPage).map(toBuild), total: matching.length };
    }
    const where = {
      app_id: appId,
      ...(channel !== undefined && { channel }),
      ...(status !== undefined && { status }),
    };
    const rows = this.readStore.view(buildsProjection.name, buildRows);
    const [found, total] = await Promise.all([
      rows.find({ where, sort: [['position', 'desc']], offset: (page - 1) * perPage, limit: perPage }),
      rows.count(where),
    ]);
    return { items: found.map(toBuild), total };
  }
}
