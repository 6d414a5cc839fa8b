import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listOwners, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { ownerRows, ownersProjection } from './owners.projection';
import { ownerResource } from './owner-resource';

export class ListOwners extends QueryOf(listOwners) {}

@QueryHandler(ListOwners)
export class ListOwnersHandler implements IQueryHandler<ListOwners> {
  constructor(private readonly documents: ReadStore) {}

  async execute({ request: { page, perPage } }: ListOwners): Promise<ReplyOf<typeof listOwners>> {
    const view = this.documents.view(ownersProjection.name, ownerRows);
    const [rows, total] = await Promise.all([
      view.find({ sort: [['number', 'asc']], offset: (page - 1) * perPage, limit: perPage }),
      view.count(),
    ]);
    return { items: rows.map((row) => ownerResource({ ...row, id: row.number, suspension: row.suspended })), total };
  }
}
