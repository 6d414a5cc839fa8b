import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { type Hook, HOOKS_TOPIC } from '@sluice/contracts';
import { type Checkpoint, type ProjectionTarget, StateStore } from '@sluice/document-store';
import { type ProcessManager, type RunningProcess, startProcess } from '@sluice/projections';
import { CLOCK, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { type JsonObject, stableUuid } from '@sluice/kernel';
import { MESSAGING, type Messaging, PacketTooLargeError } from '@sluice/messaging';
import { Webhooks } from './webhooks';
import { STORE_ID } from '../settings/domain/merchant';
import { type HookEvent, hookChanges, hookPrefixes, hookRows } from './hook-changes';
import { WebhookDeliverer } from './webhook-deliverer';

/**
 * Publishes changes of settings, mappings, runs and the module's switch: as announcements on the bus, at most
 * once, and as deliveries to the owner's webhook, at least once. A repeated event makes the same hooks with the
 * same ids. Events from before the webhook are not delivered, and events from before this process started are not
 * announced.
 */
@Injectable()
export class Hooks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running?: RunningProcess;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'pluginName'>,
    private readonly webhooks: Webhooks,
    private readonly deliverer: WebhookDeliverer,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    this.running = await startProcess({ events, state, logger, process: this.process() });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.close();
  }

  private process(): ProcessManager {
    const startedAt = this.clock.now().toISOString();
    let opened: { readonly target: ProjectionTarget; readonly store: string } | undefined;
    /** As it was committed or read last. */
    let told: Checkpoint | undefined;
    return {
      name: 'hooks',
      prefixes: hookPrefixes,
      react: async (recorded) => {
        const event = recorded as Recorded<HookEvent>;
        opened ??= { target: await this.state.liveTarget(hookRows), store: await this.events.identity() };
        const { target, store } = opened;
        told ??= await target.checkpoint();
        for (;;) {
          if (told !== undefined && told.position >= event.position) return;
          const { changes, writes } = await hookChanges(event, target);
          const hooks = changes.map(({ rowId, hook, data, before }) => ({
            ...{ id: stableUuid(event.id, hook, rowId), hook: `${this.settings.pluginName}_${hook}` },
            ...{ occurred_at: event.metadata.at, store_id: STORE_ID },
            data: data as Hook['data'],
            ...(before !== undefined && { before: before as Hook['data'] }),
          }));
          const webhook = await this.webhooks.find();
          if (webhook !== undefined && event.position > webhook.after) {
            await this.deliverer.add(webhook.id, event.position, hooks);
          }
          const next = { position: event.position, store, version: hookRows.version };
          if (await target.commit(told, next, writes)) {
            told = next;
            if (event.metadata.at >= startedAt) for (const hook of hooks) this.announce(hook);
            return;
          }
          // Another replica was faster.
          told = await target.checkpoint();
        }
      },
    };
  }

  private announce(hook: Hook): void {
    try {
      this.messaging.announce(HOOKS_TOPIC, hook as JsonObject);
    } catch (error) {
      if (!(error instanceof PacketTooLargeError)) throw error;
      // One setting of the largest size fits into a hook, two do not.
      this.messaging.announce(HOOKS_TOPIC, { ...hook, before: undefined } as JsonObject);
    }
  }
}
