import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listOwnedApps, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { ownedAppRows, ownedAppsProjection } from './owned-apps.projection';
import { appResource } from './app-resource';

export class ListOwnedApps extends QueryOf(listOwnedApps) {}

@QueryHandler(ListOwnedApps)
export class ListOwnedAppsHandler implements IQueryHandler<ListOwnedApps> {
  constructor(private readonly documents: ReadStore) {}

  async execute({ request }: ListOwnedApps): Promise<ReplyOf<typeof listOwnedApps>> {
    const { ownerId, removed, page, perPage } = request;
    const where = removed === null ? { ownerId } : { ownerId, removed };
    const view = this.documents.view(ownedAppsProjection.name, ownedAppRows);
    const [rows, total] = await Promise.all([
      view.find({ where, sort: [['number', 'asc']], offset: (page - 1) * perPage, limit: perPage }),
      view.count(where),
    ]);
    const items = rows.map((row) => ({
      ...appResource({ ...row, id: row.number }),
      removed_at: row.removedAt,
    }));
    return { items, total };
  }
}
