import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import {
  askGate,
  type Caller,
  type ListingSecrets,
  prepareGate,
  type RegistryEvent,
  replaceGateSecret,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { ValidationError } from '@sluice/kernel';
import { HandlesCommand } from '@sluice/messaging';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { CLOCK, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { VAULT, type Vault } from '@sluice/vault';
import type { Response } from 'undici';
import { z } from 'zod';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { AddressRefusedError, type AddressRules, assertAllowedUrl } from '../sources/guarded-agent';
import { WebhookSender } from '../webhook/webhook-sender';

/** The caller waits a little longer. */
const MAX_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16_384;
const MAX_REASON_CHARACTERS = 200;

type Answer = ReplyOf<typeof askGate>;
const answerSchema = z.object({ verdict: z.enum(['pass', 'fail', 'wait']), reason: z.string().nullish() });

/** The secret of the webhook gates of an app, sealed. */
interface GateSecret {
  readonly secret: string;
  /** The command that made it: its repeat shows the secret again. */
  readonly madeBy: string;
}

/**
 * Asks the webhook gates of rollout plans: this service may send requests to the internet, and can seal secrets. Any app
 * may name an address, so that loopback addresses are private ones here.
 */
@Injectable()
export class GateWebhooks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sender = new WebhookSender();
  private readonly stopping = new AbortController();
  private running?: RunningProcess;

  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS)
    private readonly settings: Pick<MerchantSyncSettings, 'webhookAllowPrivateAddresses' | 'webhookTimeoutMs'>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    this.running = await startProcess({
      ...{ events, state, logger },
      process: {
        name: 'gate-secrets',
        prefixes: ['app-'],
        react: async ({ type, data }: Recorded<RegistryEvent>) => {
          if (type === 'AppRemovalStarted') await this.secrets.delete(idOf(data.id));
        },
      },
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running?.close();
    await this.sender.close();
  }

  @HandlesCommand(prepareGate)
  async prepare({ appId, url }: RequestOf<typeof prepareGate>, { commandId }: Caller) {
    try {
      assertAllowedUrl(new URL(url), this.rules);
    } catch (error) {
      if (error instanceof AddressRefusedError) throw new ValidationError({ 'gates.webhook.url': [error.message] });
      throw error;
    }
    const { secret, madeBy } = await this.save(appId, commandId, () => true);
    return madeBy === commandId ? { gate_secret: secret } : {};
  }

  @HandlesCommand(replaceGateSecret)
  async replace({ appId }: RequestOf<typeof replaceGateSecret>, { commandId }: Caller) {
    const { secret } = await this.save(appId, commandId, (found) => found.madeBy === commandId);
    return { gate_secret: secret };
  }

  @HandlesCommand(askGate)
  async ask({ appId, url, body: asked }: RequestOf<typeof askGate>, { commandId: id }: Caller): Promise<Answer> {
    const secret = parsed((await this.secrets.open(idOf(appId)))?.secret)?.secret;
    if (secret === undefined) {
      return wait('The app has no secret for its webhook gates. Create one with "sluice app gate-secret".');
    }
    const body = JSON.stringify(asked);
    const seconds = Math.floor(this.clock.now().getTime() / 1_000);
    const sent = await this.sender.post(
      url,
      {
        body,
        headers: {
          Accept: 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': `v1,${signatureOf(secret, `${id}.${seconds}.${body}`)}`,
        },
        rules: this.rules,
        timeoutMs: Math.min(MAX_TIMEOUT_MS, this.settings.webhookTimeoutMs),
        signal: this.stopping.signal,
      },
      read,
    );
    return 'fault' in sent ? wait(sent.fault) : sent.result;
  }

  /** Makes a secret unless the app has one that is to be kept. */
  private async save(appId: number, madeBy: string, keep: (found: GateSecret) => boolean): Promise<GateSecret> {
    const made: GateSecret = { secret: `whsec_${randomBytes(32).toString('base64')}`, madeBy };
    let saved = made;
    await this.secrets.update(idOf(appId), (sealed) => {
      const found = parsed(sealed);
      saved = found !== undefined && keep(found) ? found : made;
      return Buffer.from(JSON.stringify(saved));
    });
    return saved;
  }

  private get rules(): AddressRules {
    const { webhookAllowPrivateAddresses: allowed } = this.settings;
    return { allowPrivateAddresses: allowed, allowLoopback: allowed, setting: 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES' };
  }

  private get secrets() {
    return this.vault.changing('webhooks' satisfies ListingSecrets);
  }
}

function idOf(appId: number): string {
  return `gates-of-app-${appId}`;
}

function parsed(sealed: Buffer | undefined): GateSecret | undefined {
  return sealed && (JSON.parse(sealed.toString()) as GateSecret);
}

/** As Standard Webhooks compute it. */
function signatureOf(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}

function wait(reason: string): Answer {
  return { verdict: 'wait', reason };
}

async function read({ body }: Response): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).length;
    // Leaving the loop ends the response.
    if (bytes > MAX_ANSWER_BYTES) return wait(`The answer of the webhook has more than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk as Uint8Array);
  }
  const answer = answerSchema.safeParse(fromJson(Buffer.concat(chunks).toString()));
  if (!answer.success) {
    return wait('The answer of the webhook is not JSON such as {"verdict": "pass"}, with pass, fail or wait.');
  }
  const { verdict, reason } = answer.data;
  return { verdict, reason: shown(reason ?? '') };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without characters that control a terminal. Null: nothing is left. */
function shown(reason: string): string | null {
  const plain = reason.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return Array.from(plain).slice(0, MAX_REASON_CHARACTERS).join('') || null;
}
