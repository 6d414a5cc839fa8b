import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listApps, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { appRows, appsProjection } from './apps.projection';
import { appResource } from './app-resource';

export class ListApps extends QueryOf(listApps) {}

@QueryHandler(ListApps)
export class ListAppsHandler implements IQueryHandler<ListApps> {
  constructor(private readonly documents: ReadStore) {}

  async execute({ request }: ListApps): Promise<ReplyOf<typeof listApps>> {
    const { ownerId, ids, page, perPage } = request;
    const where = ids === null ? { ownerId } : { ownerId, number: { in: ids } };
    const view = this.documents.view(appsProjection.name, appRows);
    const [rows, total] = await Promise.all([
      view.find({ where, sort: [['number', 'asc']], offset: (page - 1) * perPage, limit: perPage }),
      view.count(where),
    ]);
    return { items: rows.map((row) => appResource({ ...row, id: row.number })), total };
  }
}
