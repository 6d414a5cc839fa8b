import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ListingSecrets } from '@sluice/contracts';
import { EVENT_STORE, type EventStore, type Position } from '@sluice/event-store';
import { newUlid } from '@sluice/kernel';
import { VAULT, type Vault } from '@sluice/vault';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { STORE_ID } from '../settings/domain/merchant';
import { type AddressRules, isLoopbackHost } from '../sources/guarded-agent';

/** Where hooks are sent. An address may hold a secret of its own, so it is sealed as well. */
export interface Webhook {
  /** From its first address until it is deleted. */
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** What happened up to here is not sent. */
  readonly after: Position;
}

/** The webhook of the store, sealed. */
@Injectable()
export class Webhooks {
  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  async find(): Promise<Webhook | undefined> {
    const found = await this.secrets.open(STORE_ID);
    return found && parsed(found.secret);
  }

  /**
   * Answers the secret where one was made.
   * @param secret undefined keeps the one that there is, if there is one; null makes one
   */
  async save(url: string, secret: string | null | undefined): Promise<string | undefined> {
    const made = `whsec_${randomBytes(32).toString('hex')}`;
    let used = made;
    await this.secrets.update(STORE_ID, async (sealed) => {
      const found = sealed && parsed(sealed);
      used = secret ?? (secret === null ? made : (found?.secret ?? made));
      const { id, after } = found ?? { id: newUlid(), after: await this.events.head() };
      return Buffer.from(JSON.stringify({ id, url, secret: used, after } satisfies Webhook));
    });
    return used === made ? made : undefined;
  }

  /** Whether there was one. */
  delete(): Promise<boolean> {
    return this.secrets.delete(STORE_ID);
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
