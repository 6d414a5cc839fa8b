import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WebhookDeliveries } from './webhook-deliveries';
import { Webhooks } from './webhooks';

export class DeleteWebhook extends Command<{ deleted: boolean }> {}

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
