import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import type { Hook } from '@sluice/contracts';
import { CLOCK, type Clock, PeriodicTask, LOGGER, type Logger } from '@sluice/service-host';
import type { Position } from '@sluice/event-store';
import pLimit from 'p-limit';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { type DeliveryRow, WebhookDeliveries } from './webhook-deliveries';
import { type Webhook, webhookRules, Webhooks } from './webhooks';
import { WebhookSender } from './webhook-sender';

/** At a time. */
const CONCURRENT_DELIVERIES = 4;
/** Read at a time: so many bodies are in memory. */
const PAGE = 32;
const POLL_MS = 1_000;
/** A claim lasts this much longer than the request, to cover the work before and after it. */
const CLAIM_MARGIN_MS = 5_000;
const DEAD_FOR_MS = 30 * 86_400_000;
const SWEEP_MS = 3_600_000;

/**
 * Sends waiting deliveries to the webhook, a few at a time, until it responds with 2xx. Each attempt has a new
 * signature. After the last attempt the delivery is a dead letter, which is deleted after 30 days. Replicas may
 * run it concurrently: a delivery is claimed by the version of its row, and becomes due again soon after its
 * process was killed.
 */
@Injectable()
export class WebhookDeliverer extends PeriodicTask {
  private readonly sender = new WebhookSender();
  private pauseMs = POLL_MS;
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly webhooks: Webhooks,
    private readonly deliveries: WebhookDeliveries,
  ) {
    super({
      everyMs: () => this.pauseMs,
      firstAfterMs: 0,
      run: async () => {
        this.pauseMs = POLL_MS;
        this.pauseMs = await this.round();
      },
      fault: 'Webhook deliveries failed and will be retried.',
      logger,
    });
  }

  /** Aborts attempts in progress, which are due again at the next start. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.sender.close();
  }

  /** Durable before the answer. */
  async add(webhookId: string, position: Position, hooks: readonly Hook[]): Promise<void> {
    if (hooks.length === 0) return;
    await this.deliveries.add(webhookId, position, hooks, this.now());
    this.wake();
  }

  /** Sends what is due of one page; answers how long nothing more is due. */
  private async round(): Promise<number> {
    await this.sweep();
    const page = await this.deliveries.waiting(PAGE);
    const now = this.now();
    const due = page.filter(({ at }) => at <= now);
    if (due.length === 0) return page[0] === undefined ? POLL_MS : Math.min(POLL_MS, page[0].at - now);
    const webhook = await this.webhooks.find();
    const ended = await pLimit(CONCURRENT_DELIVERIES).map(
      due,
      (row) => !this.signal.aborted && this.deliver(row, webhook),
    );
    const givenUp = ended.filter(Boolean).length;
    if (givenUp > 0)
      this.logger.warn(`${givenUp} webhook deliveries were given up; they are in the list of dead letters.`);
    return 0;
  }

  /** Whether it was given up. */
  private async deliver(due: DeliveryRow, webhook: Webhook | undefined): Promise<boolean> {
    if (due.webhook_id !== webhook?.id) {
      await this.deliveries.delete(due.id);
      return false;
    }
    const { webhookTimeoutMs, webhookRetryDelaysMs } = this.settings;
    const claimed = await this.deliveries.claim(due, this.now() + webhookTimeoutMs + CLAIM_MARGIN_MS);
    if (claimed === undefined) return false;
    const { row, version } = claimed;
    const fault = await this.send(row, webhook);
    if (fault === undefined) {
      await this.deliveries.delete(row.id);
      return false;
    }
    if (this.signal.aborted) {
      await this.deliveries.put({ ...row, attempts: due.attempts, at: due.at }, version);
      return false;
    }
    const delay = webhookRetryDelaysMs[row.attempts - 1];
    const now = this.now();
    if (delay !== undefined) {
      await this.deliveries.put({ ...row, at: now + delay, last_error: fault }, version);
      return false;
    }
    return this.deliveries.put({ ...row, status: 'dead', at: now, last_error: fault }, version);
  }

  /** What is wrong, without the address and what was answered; undefined: it was taken. */
  private async send({ id, hook, body }: DeliveryRow, { url, secret }: Webhook): Promise<string | undefined> {
    const seconds = Math.floor(this.now() / 1_000);
    const sent = await this.sender.post(
      url,
      {
        body,
        headers: {
          'Sluice-Hook': hook,
          'Sluice-Delivery': id,
          'Sluice-Signature': `t=${seconds},v1=${signatureOf(secret, seconds, body)}`,
        },
        rules: webhookRules(new URL(url), this.settings),
        timeoutMs: this.settings.webhookTimeoutMs,
        signal: this.signal,
      },
      // The response body is not read.
      (response) => response.body?.cancel() ?? Promise.resolve(),
    );
    return 'fault' in sent ? sent.fault : undefined;
  }

  private async sweep(): Promise<void> {
    if (this.clock.monotonic() - this.sweptAt < SWEEP_MS) return;
    await this.deliveries.forgetDead(this.now() - DEAD_FOR_MS);
    this.sweptAt = this.clock.monotonic();
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** The hex HMAC-SHA256 of `t.body`. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
