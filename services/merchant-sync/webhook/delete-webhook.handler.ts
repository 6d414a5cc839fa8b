import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deleteWebhook } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { WebhookDeliveries } from './webhook-deliveries';
import { Webhooks } from './webhooks';

export class DeleteWebhook extends CommandOf(deleteWebhook) {}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  async execute(): Promise<{ deleted: boolean }> {
    const deleted = await this.webhooks.delete();
    await this.deliveries.deleteAll();
    return { deleted };
  }
}
