import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listDataKeys, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { DataKeys } from './data-keys';

export class ListDataKeys extends QueryOf(listDataKeys) {}

@QueryHandler(ListDataKeys)
export class ListDataKeysHandler implements IQueryHandler<ListDataKeys> {
  constructor(private readonly dataKeys: DataKeys) {}

  async execute(): Promise<ReplyOf<typeof listDataKeys>> {
    return { keys: await this.dataKeys.list() };
  }
}
