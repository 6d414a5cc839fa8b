import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { type ReplyOf, saveWebhook } from '@sluice/contracts';
import { ValidationError } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { AddressRefusedError, assertAllowedUrl } from '../sources/guarded-agent';
import { webhookRules, Webhooks } from './webhooks';

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
