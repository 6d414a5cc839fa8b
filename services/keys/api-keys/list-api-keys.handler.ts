import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listApiKeys, type ReplyOf } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';
import { apiKeyResources } from './api-key-resource';

export class ListApiKeys extends QueryOf(listApiKeys) {}

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
