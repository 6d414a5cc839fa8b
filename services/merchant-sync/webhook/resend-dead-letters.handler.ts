import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, resendDeadLetters } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { CommandOf } from '@sluice/messaging';
import { WebhookDeliveries } from './webhook-deliveries';

export class ResendDeadLetters extends CommandOf(resendDeadLetters) {}

@CommandHandler(ResendDeadLetters)
export class ResendDeadLettersHandler implements ICommandHandler<ResendDeadLetters> {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  async execute({ request: { ids } }: ResendDeadLetters): Promise<ReplyOf<typeof resendDeadLetters>> {
    return { resent: await this.deliveries.resend(ids, this.clock.now().getTime()) };
  }
}
