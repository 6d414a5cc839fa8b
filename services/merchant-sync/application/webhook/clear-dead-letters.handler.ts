import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WebhookDeliveries } from './webhook-deliveries';

export class ClearDeadLetters extends Command<{ deleted: number }> {}

@CommandHandler(ClearDeadLetters)
export class ClearDeadLettersHandler implements ICommandHandler<ClearDeadLetters> {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  async execute(): Promise<{ deleted: number }> {
    return { deleted: await this.deliveries.clearDead() };
  }
}
