import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type WebhookState, getWebhook } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { WebhookDeliveries } from './webhook-deliveries';
import { Webhooks } from './webhooks';

export class GetWebhook extends QueryOf(getWebhook) {}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  async execute(): Promise<WebhookState> {
    const webhook = await this.webhooks.find();
    if (webhook === undefined) return { url: null, waiting: 0, dead: 0 };
    const [waiting, dead] = await Promise.all([this.deliveries.count('waiting'), this.deliveries.count('dead')]);
    return { url: webhook.url, waiting, dead };
  }
}
