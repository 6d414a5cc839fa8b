import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { type Caller, closeAppChannels, closeAppKeys } from '@sluice/contracts';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { StateStore } from '@sluice/document-store';
import { LOGGER, type Logger } from '@sluice/service-host';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { stableUuid } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { AppEvent } from './domain/app';
import { channels, channelsStream } from '../channels/domain/channels';
import { apps, APPS_STREAM } from './domain/apps';

export type RemovalStarted = Recorded<Extract<AppEvent, { type: 'AppRemovalStarted' }>>;

/** Shorter than a process has to stop in. */
const CLOSING_MS = 5_000;

/**
 * Brings every removal that has begun to its end, also after a crash in between: the services close
 * the app's streams, which take nothing from then on; then its bundle_id and its place in the quota
 * are free. Steps carry ids made from the event, so that a repeated step changes nothing.
 */
@Injectable()
export class AppRemoval implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running?: RunningProcess;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    this.running = await startProcess({
      ...{ events, state, logger },
      process: {
        name: 'app-removal',
        prefixes: ['app-'],
        react: async (event: Recorded<AppEvent>) => {
          if (event.type === 'AppRemovalStarted') await this.finish(event, { waitForReaders: false });
        },
      },
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.close();
  }

  /** @throws UnavailableError when a service does not answer: the removal then continues in the background */
  async finish({ id, data, metadata }: RemovalStarted, options: { readonly waitForReaders: boolean }): Promise<void> {
    const { traceparent } = metadata;
    const caller = (step: string): Caller => ({
      actor: 'system:app-removal',
      commandId: stableUuid(id, step),
      ...(traceparent !== undefined && { traceparent }),
    });
    const request = { appId: data.id };
    const closing = { type: 'CloseChannels', ...request } as const;
    const stream = channelsStream(data.id);
    const { events } = await this.commands.handle(channels, stream, closing, caller('close-added-channels'), options);
    const added = events.flatMap((event) => (event.type === 'ChannelRemoved' ? [event.data.id] : []));
    const patience = { timeoutMs: CLOSING_MS };
    await Promise.all([
      this.messaging.request(closeAppChannels, { ...request, added }, caller('close-channels'), patience),
      this.messaging.request(closeAppKeys, request, caller('close-keys'), patience),
    ]);
    await this.commands.handle(apps, APPS_STREAM, { type: 'RemoveApp', id: data.id }, caller('remove'), options);
  }
}
