import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { listDeadLetters, ReplyOf, RequestOf } from '@sluice/contracts';
import { WebhookDeliveries } from './webhook-deliveries';

export class ListDeadLetters extends Query<ReplyOf<typeof listDeadLetters>> {
  constructor(readonly request: RequestOf<typeof listDeadLetters>) {
    super();
  }
}

@QueryHandler(ListDeadLetters)
export class ListDeadLettersHandler implements IQueryHandler<ListDeadLetters> {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  execute({ request: { page, perPage } }: ListDeadLetters): Promise<ReplyOf<typeof listDeadLetters>> {
    return this.deliveries.deadLetters((page - 1) * perPage, perPage);
  }
}
