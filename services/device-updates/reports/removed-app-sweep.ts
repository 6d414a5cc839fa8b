import { Inject, Injectable } from '@nestjs/common';
import type { RegistryEvent } from '@sluice/contracts';
import { type Collection, type Row, StateStore } from '@sluice/document-store';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { CLOCK, PeriodicTask, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { chosenChannels } from '../devices/chosen-channels';
import { devicePins } from '../devices/device-pins';
import { checkCounts } from './check-counts';
import { deviceReports } from './device-reports';
import { deviceStates } from './device-states';
import { offeredDevices } from './offered-devices';
import { reportErrors } from './report-errors';
import { reportTotals } from './report-counts';
import { rolledBackDevices } from './rolled-back-devices';
import { beginningWith } from './domain/report';
import { deleteInParts } from './delete-in-parts';

/** An app whose rows go. Its id is the app's integer id. */
interface RemovedApp extends Row {
  readonly appId: number;
  /** Milliseconds since 1970. */
  readonly sweptUntil: number;
}

/** In the state store. */
export const removedApps: Collection<RemovedApp> = { name: 'removedApps', indexes: [] };

const LOOK_EVERY_MS = 10_000;
/** Far longer than a report or a count of checks is on its way, or a day waits to be folded. */
const SWEPT_FOR_MS = 48 * 60 * 60_000;

/**
 * Deletes what is kept of the devices of an app whose removal has begun: reports, states, rollbacks, pins,
 * chosen channels, daily totals, and counts of checks and of offers. The app is recorded first, and its rows are searched for repeatedly for two
 * days. So the process may be killed at any point, any number of processes may sweep simultaneously, and reports
 * in flight at the removal are found later. The sweep of keys deletes the usage of its keys.
 */
@Injectable()
export class RemovedAppSweep extends PeriodicTask {
  private noting?: RunningProcess;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: 0,
      run: () => this.sweep(),
      fault: 'What is kept of the devices of removed apps could not be deleted; it will be tried again',
      logger,
    });
  }

  override async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    const process = {
      name: 'removed-app-sweep',
      prefixes: ['app-'],
      react: (event: Recorded<RegistryEvent>) => this.note(event),
    };
    this.noting = await startProcess({ events, state, logger, process });
    this.start();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.noting?.close(), this.stop()]);
  }

  async note(event: RegistryEvent): Promise<void> {
    if (event.type !== 'AppRemovalStarted') return;
    const { id: appId } = event.data;
    const sweptUntil = this.clock.now().getTime() + SWEPT_FOR_MS;
    await this.state.rows(removedApps).put({ id: String(appId), appId, sweptUntil }, 'absent');
  }

  /** Deletes what is there now of every removed app. */
  async sweep(): Promise<void> {
    const { signal } = this;
    const removed = this.state.rows(removedApps);
    for (const { id, appId, sweptUntil } of await removed.find()) {
      const overdue = this.clock.now().getTime() > sweptUntil;
      const where = { id: beginningWith(`${appId}/`) };
      // Totals last: they are made from reports.
      await deleteInParts(this.state.rows(deviceReports), where, signal);
      await deleteInParts(this.state.rows(reportErrors), where, signal);
      await deleteInParts(this.state.rows(deviceStates), where, signal);
      await deleteInParts(this.state.rows(rolledBackDevices), where, signal);
      await deleteInParts(this.state.rows(devicePins), where, signal);
      await deleteInParts(this.state.rows(chosenChannels), where, signal);
      await deleteInParts(this.state.rows(checkCounts), where, signal);
      await deleteInParts(this.state.rows(offeredDevices), where, signal);
      await deleteInParts(this.state.rows(reportTotals), where, signal);
      if (signal.aborted) return;
      if (overdue) await removed.delete(id);
    }
  }
}
