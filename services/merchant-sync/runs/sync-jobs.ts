import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { ReadStore } from '@sluice/document-store';
import { CLOCK, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { FIRST_VALUES } from '../settings/saved-settings';
import { RunStarts } from './run-starts';
import type { ListingsModule } from '../settings/domain/merchant';
import { REMOTE_CATALOG, type RemoteCatalog } from '../remotes/remote-catalog';
import { type SyncJob, SyncSchedule } from './sync-schedule';

/** The schedule of this application. */
@Injectable()
export class SyncJobs extends SyncSchedule {
  constructor(
    @Inject(COMMANDS) commands: CommandHandling,
    readStore: ReadStore,
    @Inject(CLOCK) clock: Clock,
    @Inject(FIRST_VALUES) firstValues: ListingsModule,
    @Inject(REMOTE_CATALOG) { adapter }: RemoteCatalog,
    @Inject(LOGGER) logger: Logger,
    @Inject(SETTINGS) { pluginName }: Settings,
    starts: RunStarts,
  ) {
    const startRun = async (after: string | null) => {
      const caller = { actor: 'system:schedule', commandId: newCommandId() };
      await starts.start({}, caller, 'schedule', after);
    };
    const ran = (job: SyncJob) => logger.info({ job: `${pluginName}_${job}` }, 'Scheduled job ran');
    super({ commands, readStore, clock, firstValues, adapter, startRun, ran, logger });
  }
}
