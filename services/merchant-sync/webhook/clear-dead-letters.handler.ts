import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { clearDeadLetters } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { WebhookDeliveries } from './webhook-deliveries';

export class ClearDeadLetters extends CommandOf(clearDeadLetters) {}

@CommandHandler(ClearDeadLetters)
export class ClearDeadLettersHandler implements ICommandHandler<ClearDeadLetters> {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  async execute(): Promise<{ deleted: number }> {
    return { deleted: await this.deliveries.clearDead() };
  }
}
