import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { listBuilds, ReplyOf, RequestOf } from '@sluice/contracts';
import { READ_STORE, type DocumentStore } from '@sluice/document-store';
import { buildRows, buildsProjection, toBuild } from '../projections/builds.projection';

export class ListBuilds extends Query<ReplyOf<typeof listBuilds>> {
  constructor(readonly request: RequestOf<typeof listBuilds>) {
    super();
  }
}

@QueryHandler(ListBuilds)
export class ListBuildsHandler implements IQueryHandler<ListBuilds> {
  constructor(@Inject(READ_STORE) private readonly readStore: DocumentStore) {}

  async execute({ request }: ListBuilds): Promise<ReplyOf<typeof listBuilds>> {
    const { appId, channel, status, page, perPage } = request;
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
