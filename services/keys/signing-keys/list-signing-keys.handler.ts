import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listSigningKeys, type ReplyOf } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { listedSigningKeyRows, signingKeysProjection } from './signing-keys.projection';
import { listedSigningKey } from './signing-keys';

export class ListSigningKeys extends QueryOf(listSigningKeys) {}

@QueryHandler(ListSigningKeys)
export class ListSigningKeysHandler implements IQueryHandler<ListSigningKeys> {
  constructor(private readonly documents: ReadStore) {}

  async execute({ request: { appId, page, perPage } }: ListSigningKeys): Promise<ReplyOf<typeof listSigningKeys>> {
    const view = this.documents.view(signingKeysProjection.name, listedSigningKeyRows);
    const sort = [
      ['position', 'desc'],
      ['id', 'desc'],
    ] as const;
    const [rows, total] = await Promise.all([
      view.find({ where: { appId }, sort, offset: (page - 1) * perPage, limit: perPage }),
      view.count({ appId }),
    ]);
    return { items: rows.map((row) => listedSigningKey({ ...row, id: row.number })), total };
  }
}
