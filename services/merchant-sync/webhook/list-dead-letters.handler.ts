import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listDeadLetters, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { WebhookDeliveries } from './webhook-deliveries';

export class ListDeadLetters extends QueryOf(listDeadLetters) {}

@QueryHandler(ListDeadLetters)
export class ListDeadLettersHandler implements IQueryHandler<ListDeadLetters> {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  execute({ request: { page, perPage } }: ListDeadLetters): Promise<ReplyOf<typeof listDeadLetters>> {
    return this.deliveries.deadLetters((page - 1) * perPage, perPage);
  }
}
