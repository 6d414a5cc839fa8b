import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { ChannelsEvent } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import {
  causedBy,
  type CommandHandling,
  COMMANDS,
  EVENT_STORE,
  type EventStore,
  type Recorded,
} from '@sluice/event-store';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { LOGGER, type Logger } from '@sluice/service-host';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import { apiKeys, apiKeysStream } from './domain/api-keys';

/** Deletes the keys of channels that were removed, also after a crash in between, and closes their streams. */
@Injectable()
export class ChannelKeys implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running?: RunningProcess;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    const react = (event: Recorded<ChannelsEvent>) => this.close(event);
    this.running = await startProcess({
      ...{ events, state, logger },
      process: { name: 'channel-keys', prefixes: ['channels-'], react },
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.close();
  }

  private async close(event: Recorded<ChannelsEvent>): Promise<void> {
    if (event.type !== 'ChannelRemoved') return;
    const { appId, id: channel } = event.data;
    const command = { type: 'CloseApiKeys', appId } as const;
    const context = causedBy(event, 'system:channel-removal', 'close-keys');
    const closed = await this.commands.handle(apiKeys, apiKeysStream(appId, channel), command, context, {
      waitForReaders: false,
    });
    await dropFormerSeals(this.vault, closed.events);
  }
}
