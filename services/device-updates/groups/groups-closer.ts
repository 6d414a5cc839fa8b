import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { RegistryEvent } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { stableUuid } from '@sluice/kernel';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { LOGGER, type Logger } from '@sluice/service-host';
import { groups, groupsStream } from './domain/groups';

/** Ends the groups of an app whose removal has begun, also where it has none, so that a list in flight finds them closed. */
@Injectable()
export class GroupsCloser implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running?: RunningProcess;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    const process = {
      name: 'groups-closer',
      prefixes: ['app-'],
      react: (event: Recorded<RegistryEvent>) => this.close(event),
    };
    this.running = await startProcess({ events, state, logger, process });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.close();
  }

  /** Any number of times. */
  private async close(event: Recorded<RegistryEvent>): Promise<void> {
    if (event.type !== 'AppRemovalStarted') return;
    const { id: appId } = event.data;
    const caller = { commandId: stableUuid(event.id, 'close-groups'), actor: 'system:groups-closer' };
    const command = { type: 'CloseGroups', appId } as const;
    await this.commands.handle(groups, groupsStream(appId), command, caller, { waitForReaders: false });
  }
}
