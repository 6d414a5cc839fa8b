import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { listOwners, ReplyOf, RequestOf } from '@sluice/contracts';
import { OwnerView } from './owner-view';

export class ListOwners extends Query<ReplyOf<typeof listOwners>> {
  constructor(readonly request: RequestOf<typeof listOwners>) {
    super();
  }
}

@QueryHandler(ListOwners)
export class ListOwnersHandler implements IQueryHandler<ListOwners> {
  constructor(private readonly view: OwnerView) {}

  execute({ request }: ListOwners): Promise<ReplyOf<typeof listOwners>> {
    return this.view.list(request);
  }
}
