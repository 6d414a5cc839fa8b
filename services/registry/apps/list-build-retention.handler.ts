import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listBuildRetention, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { appRows, appsProjection } from './apps.projection';

export class ListBuildRetention extends QueryOf(listBuildRetention) {}

@QueryHandler(ListBuildRetention)
export class ListBuildRetentionHandler implements IQueryHandler<ListBuildRetention> {
  constructor(private readonly documents: ReadStore) {}

  async execute({ request: { after, limit } }: ListBuildRetention): Promise<ReplyOf<typeof listBuildRetention>> {
    const view = this.documents.view(appsProjection.name, appRows);
    const rows = await view.find({ where: { number: { gt: after } }, sort: [['number', 'asc']], limit });
    return rows.map(({ number, keepBuilds = null }) => ({ appId: number, keepBuilds }));
  }
}
