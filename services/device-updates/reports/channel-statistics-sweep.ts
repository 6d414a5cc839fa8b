import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import type { BuildEvent } from '@sluice/contracts';
import { type Collection, type Row, StateStore } from '@sluice/document-store';
import { EVENT_STORE, type EventStore, type Recorded } from '@sluice/event-store';
import { isStandardChannel } from '@sluice/kernel';
import { type RunningProcess, startProcess } from '@sluice/projections';
import { CLOCK, PeriodicTask, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { devicePins } from '../devices/device-pins';
import { checkCounts } from './check-counts';
import { deleteInParts } from './delete-in-parts';
import { deviceReports } from './device-reports';
import { addDays, beginningWith, BUILDS, channelMetrics, dayOf, daysBetween } from './domain/report';
import { offeredDevices } from './offered-devices';
import { reportTotals } from './report-counts';
import { reportErrors } from './report-errors';
import { rolledBackDevices } from './rolled-back-devices';

/** The metrics of an app that begin with the prefix are no longer needed. Its id is `{appId}/{prefix}`. */
interface FormerMetrics extends Row {
  readonly appId: number;
  /** `build/7/`, `channel/pr-9.3/` */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** They were deleted once before. */
  readonly again: boolean;
}

/** In the state store. */
export const formerMetrics: Collection<FormerMetrics> = { name: 'formerMetrics', indexes: [{ fields: ['dueAt'] }] };

const LOOK_EVERY_MS = 10_000;
/** Far longer than a report or a count of checks is on its way, or a day is being folded. */
const AGAIN_AFTER_MS = 48 * 3_600_000;
/** Texts of errors are stored before their reports: of this many days, also those without a report are looked for. */
const RECENT_DAYS = 3;
const PAGE = 100;

/**
 * Deletes what is counted and kept of the devices of channels that apps add, once these are closed, and of their builds, once
 * those are deleted: so previews leave nothing behind. It deletes twice, with two days between. So the process may be killed at any
 * point, any number of processes may sweep simultaneously, and what was in flight is found later.
 */
@Injectable()
export class ChannelStatisticsSweep extends PeriodicTask {
  private noting?: RunningProcess;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'reportRetentionDays'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: 0,
      run: () => this.sweep(),
      fault: 'Statistics of deleted channels could not be deleted; it will be tried again',
      logger,
    });
  }

  override async onApplicationBootstrap(): Promise<void> {
    const { events, state, logger } = this;
    const process = {
      name: 'channel-statistics-sweep',
      prefixes: ['channel-'],
      react: (event: Recorded<BuildEvent>) => this.note(event),
    };
    this.noting = await startProcess({ events, state, logger, process });
    this.start();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.noting?.close(), this.stop()]);
  }

  async note(event: BuildEvent & Pick<Recorded<BuildEvent>, 'stream'>): Promise<void> {
    const [, app = '', channel = ''] = /^channel-(\d+)-(.+)$/.exec(event.stream) ?? [];
    if (isStandardChannel(channel)) return;
    if (event.type === 'ChannelClosed') await this.put(Number(app), channelMetrics(channel));
    else if (event.type === 'BuildDeleted') await this.put(Number(app), `${BUILDS}${event.data.buildId}/`);
  }

  /** Deletes what is due. */
  async sweep(): Promise<void> {
    const rows = this.state.rows(formerMetrics);
    const now = this.clock.now().getTime();
    for (let more = true; more;) {
      const due = await rows.find({ where: { dueAt: { lte: now } }, sort: [['dueAt', 'asc']], limit: PAGE });
      for (const row of due) {
        await this.delete(row);
        if (this.signal.aborted) return;
        if (row.again) await rows.delete(row.id);
        else await rows.put({ ...row, dueAt: now + AGAIN_AFTER_MS, again: true });
      }
      more = due.length === PAGE;
    }
  }

  private async put(appId: number, prefix: string): Promise<void> {
    const row = { id: `${appId}/${prefix}`, appId, prefix, dueAt: this.clock.now().getTime(), again: false };
    await this.state.rows(formerMetrics).put(row, 'absent');
  }

  private async delete({ appId, prefix }: FormerMetrics): Promise<void> {
    const { state, signal } = this;
    const metric = beginningWith(prefix);
    if (prefix.startsWith(BUILDS)) {
      const today = dayOf(this.clock.now());
      const kept = daysBetween(addDays(today, -this.settings.reportRetentionDays - 1), today);
      const reports = { day: { in: kept }, appId, metric };
      const reported = await state.rows(deviceReports).countBy(['day'], reports);
      for (const day of new Set([...reported.map((each) => each.day), ...kept.slice(-RECENT_DAYS)])) {
        await deleteInParts(state.rows(reportErrors), { id: beginningWith(`${appId}/${day}/${prefix}`) }, signal);
      }
      await deleteInParts(state.rows(deviceReports), reports, signal);
    }
    const [, target = ''] = prefix.split('/');
    const ofTarget = beginningWith(`${appId}/${target}/`);
    await deleteInParts(state.rows(rolledBackDevices), { id: ofTarget }, signal);
    await deleteInParts(state.rows(devicePins), { id: ofTarget }, signal);
    await deleteInParts(state.rows(checkCounts), { appId, metric }, signal);
    await deleteInParts(state.rows(offeredDevices), { id: beginningWith(`${appId}/${prefix}`) }, signal);
    // Last: they are made from reports.
    await deleteInParts(state.rows(reportTotals), { appId, metric }, signal);
  }
}
