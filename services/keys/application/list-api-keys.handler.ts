import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { listApiKeys, ReplyOf, RequestOf } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { apiKeyRows, apiKeysProjection } from '../projections/api-keys.projection';
import { apiKeyResources } from './api-key-resource';

export class ListApiKeys extends Query<ReplyOf<typeof listApiKeys>> {
  constructor(readonly request: RequestOf<typeof listApiKeys>) {
    super();
  }
}

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeys> {
  constructor(
    private readonly documents: ReadStore,
    private readonly state: StateStore,
  ) {}

  async execute({ request }: ListApiKeys): Promise<ReplyOf<typeof listApiKeys>> {
    const { appId, page, perPage } = request;
    const view = this.documents.view(apiKeysProjection.name, apiKeyRows);
    const [rows, total] = await Promise.all([
      view.find({ where: { appId }, sort: [['number', 'asc']], offset: (page - 1) * perPage, limit: perPage }),
      view.count({ appId }),
    ]);
    const keys = rows.map((row) => ({ ...row, id: row.number }));
    return { items: await apiKeyResources(this.state, keys), total };
  }
}
