import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import {
  clearDeadLetters,
  deleteWebhook,
  getWebhook,
  listDeadLetters,
  type ReplyOf,
  resendDeadLetters,
  saveWebhook,
  type WebhookState,
} from '@sluice/contracts';
import { ValidationError } from '@sluice/kernel';
import { CommandOf, QueryOf } from '@sluice/messaging';
import { CLOCK, type Clock } from '@sluice/service-host';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { AddressRefusedError, assertAllowedUrl } from '../sources/guarded-agent';
import { WebhookDeliveries } from './webhook-deliveries';
import { webhookRules, Webhooks } from './webhooks';

export class ClearDeadLetters extends CommandOf(clearDeadLetters) {}

@CommandHandler(ClearDeadLetters)
export class ClearDeadLettersHandler implements ICommandHandler<ClearDeadLetters> {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  async execute(): Promise<{ deleted: number }> {
    return { deleted: await this.deliveries.clearDead() };
  }
}

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

export class ListDeadLetters extends QueryOf(listDeadLetters) {}

@QueryHandler(ListDeadLetters)
export class ListDeadLettersHandler implements IQueryHandler<ListDeadLetters> {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  execute({ request: { page, perPage } }: ListDeadLetters): Promise<ReplyOf<typeof listDeadLetters>> {
    return this.deliveries.deadLetters((page - 1) * perPage, perPage);
  }
}

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

export class SaveWebhook extends CommandOf(saveWebhook) {}

@CommandHandler(SaveWebhook)
export class SaveWebhookHandler implements ICommandHandler<SaveWebhook> {
  constructor(
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    private readonly webhooks: Webhooks,
  ) {}

  async execute({ request: { url, secret } }: SaveWebhook): Promise<ReplyOf<typeof saveWebhook>> {
    const address = new URL(url);
    try {
      assertAllowedUrl(address, webhookRules(address, this.settings));
    } catch (error) {
      if (error instanceof AddressRefusedError) throw new ValidationError({ url: [error.message] });
      throw error;
    }
    const made = await this.webhooks.save(url, secret);
    return { url, ...(made !== undefined && { secret: made }) };
  }
}

export const webhookCalls = [
  ClearDeadLetters,
  DeleteWebhook,
  GetWebhook,
  ListDeadLetters,
  ResendDeadLetters,
  SaveWebhook,
] as const;
export const webhookHandlers = [
  ClearDeadLettersHandler,
  DeleteWebhookHandler,
  GetWebhookHandler,
  ListDeadLettersHandler,
  ResendDeadLettersHandler,
  SaveWebhookHandler,
];
