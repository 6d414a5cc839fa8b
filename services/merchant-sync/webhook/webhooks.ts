import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import {
  deleteWebhook,
  getWebhook,
  type ListingSecrets,
  type ReplyOf,
  type RequestOf,
  saveWebhook,
  type WebhookState,
} from '@sluice/contracts';
import { EVENT_STORE, type EventStore, type Position } from '@sluice/event-store';
import { newUlid, ValidationError } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { VAULT, type Vault } from '@sluice/vault';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { STORE_ID } from '../settings/domain/merchant';
import { AddressRefusedError, type AddressRules, assertAllowedUrl, isLoopbackHost } from '../sources/guarded-agent';
import { WebhookDeliveries } from './webhook-deliveries';

/** The target of hooks. Its address may contain a secret, so it is sealed as well. */
export interface Webhook {
  /** From its first address until it is deleted. */
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** Events up to here are not sent. */
  readonly after: Position;
}

/** The webhook of the shop, sealed. */
@Injectable()
export class Webhooks {
  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(SETTINGS) private readonly settings: Pick<MerchantSyncSettings, 'webhookAllowPrivateAddresses'>,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  async find(): Promise<Webhook | undefined> {
    const found = await this.secrets.open(STORE_ID);
    return found && parsed(found.secret);
  }

  @HandlesQuery(getWebhook)
  async get(): Promise<WebhookState> {
    const webhook = await this.find();
    if (webhook === undefined) return { url: null, waiting: 0, dead: 0 };
    const [waiting, dead] = await Promise.all([this.deliveries.count('waiting'), this.deliveries.count('dead')]);
    return { url: webhook.url, waiting, dead };
  }

  /** Without a secret the one that there is stays; null makes one. Answers with the secret where one was made. */
  @HandlesCommand(saveWebhook)
  async save({ url, secret }: RequestOf<typeof saveWebhook>): Promise<ReplyOf<typeof saveWebhook>> {
    const address = new URL(url);
    try {
      assertAllowedUrl(address, webhookRules(address, this.settings));
    } catch (error) {
      if (error instanceof AddressRefusedError) throw new ValidationError({ url: [error.message] });
      throw error;
    }
    const made = `whsec_${randomBytes(32).toString('hex')}`;
    let used = made;
    await this.secrets.update(STORE_ID, async (sealed) => {
      const found = sealed && parsed(sealed);
      used = secret ?? (secret === null ? made : (found?.secret ?? made));
      const { id, after } = found ?? { id: newUlid(), after: await this.events.head() };
      return Buffer.from(JSON.stringify({ id, url, secret: used, after } satisfies Webhook));
    });
    return { url, ...(used === made && { secret: made }) };
  }

  /** Answers whether there was one. */
  @HandlesCommand(deleteWebhook)
  async delete() {
    const deleted = await this.secrets.delete(STORE_ID);
    await this.deliveries.deleteAll();
    return { deleted };
  }

  private get secrets() {
    return this.vault.changing('webhooks' satisfies ListingSecrets);
  }
}

function parsed(secret: Buffer): Webhook {
  return JSON.parse(secret.toString()) as Webhook;
}

/** Which addresses a webhook may have: public ones over https, or this machine where it is named so. */
export function webhookRules(
  { hostname }: URL,
  { webhookAllowPrivateAddresses }: Pick<MerchantSyncSettings, 'webhookAllowPrivateAddresses'>,
): AddressRules {
  return {
    allowPrivateAddresses: webhookAllowPrivateAddresses,
    allowLoopback: isLoopbackHost(hostname),
    setting: 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES',
  };
}
