import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { listDataKeys, ReplyOf } from '@sluice/contracts';
import { DataKeys } from './data-keys';

export class ListDataKeys extends Query<ReplyOf<typeof listDataKeys>> {}

@QueryHandler(ListDataKeys)
export class ListDataKeysHandler implements IQueryHandler<ListDataKeys> {
  constructor(private readonly dataKeys: DataKeys) {}

  async execute(): Promise<ReplyOf<typeof listDataKeys>> {
    return { keys: await this.dataKeys.list() };
  }
}
