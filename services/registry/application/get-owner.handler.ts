import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Owner } from '@sluice/contracts';
import { OwnerView } from './owner-view';

export class GetOwner extends Query<Owner> {
  constructor(readonly id: number) {
    super();
  }
}

@QueryHandler(GetOwner)
export class GetOwnerHandler implements IQueryHandler<GetOwner> {
  constructor(private readonly view: OwnerView) {}

  execute({ id }: GetOwner): Promise<Owner> {
    return this.view.of(id);
  }
}
