import type { Channel } from '@sluice/contracts';
import type { Collection, Row, StateStore } from '@sluice/document-store';
import { PeriodicTask } from '@sluice/service-host';
import type { Clock, Logger } from '@sluice/kernel';
import { checksMetric, dayOf } from './domain/report';
import { OfferedDevices } from './offered-devices';

/** Number of checks of a channel: `channel/production/checks`. Earlier releases also counted offers: `build/7/offers`. */
export interface CheckCount extends Row {
  readonly appId: number;
  readonly metric: string;
  /** UTC, `2026-01-31` */
  readonly day: string;
  readonly count: number;
}

/** In the state store. */
export const checkCounts: Collection<CheckCount> = {
  name: 'checkCounts',
  indexes: [{ fields: ['appId', 'metric', 'day'] }],
};

export interface CheckCountsOptions {
  readonly state: StateStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The same on every process, and known to no device. */
  readonly key: Buffer;
}

const WRITE_EVERY_MS = 5_000;
const BATCH = 500;

type Checks = Record<Channel, number | undefined>;

/**
 * Counts checks, and the devices that builds are offered, in memory and adds them to the state store every five seconds. The
 * counts are approximate: the last ones are lost if the process is killed, and checks whose write got no response count twice.
 */
export class CheckCounts {
  private checks = new Map<number, Checks>();
  /** Left over from a failed write. */
  private kept: readonly CheckCount[] = [];
  private readonly writes: PeriodicTask;
  private readonly offered: OfferedDevices;

  constructor(private readonly options: CheckCountsOptions) {
    this.offered = new OfferedDevices(options);
    this.writes = new PeriodicTask({
      everyMs: () => WRITE_EVERY_MS,
      run: () => this.writeCounted(),
      fault: 'Could not write the counts of update checks',
      logger: options.logger,
    });
    this.writes.start();
  }

  /** Counts one check, and the device if it was offered a build. @param deviceId undefined: the client sends none of its own */
  note(appId: number, channel: Channel, offered: number | undefined, deviceId: string | undefined): void {
    const checks = this.checks.get(appId);
    if (checks === undefined) this.checks.set(appId, { production: 0, staging: 0, development: 0, [channel]: 1 });
    else checks[channel] = (checks[channel] ?? 0) + 1;
    if (offered !== undefined && deviceId !== undefined) this.offered.note(appId, offered, deviceId);
  }

  /** Writes the counts since the last write; a failed write is repeated the next time. */
  write(): Promise<void> {
    return this.writes.runNow();
  }

  async stop(): Promise<void> {
    await this.writes.stop();
    await this.writes.runNow();
  }

  private async writeCounted(): Promise<void> {
    this.kept = this.take();
    while (this.kept.length > 0) {
      await this.options.state.rows(checkCounts).add(this.kept.slice(0, BATCH), ['count']);
      this.kept = this.kept.slice(BATCH);
    }
    await this.offered.write();
  }

  private take(): CheckCount[] {
    const day = dayOf(this.options.clock.now());
    const { checks } = this;
    this.checks = new Map();
    const rows = new Map(this.kept.map((row) => [row.id, row]));
    const add = (appId: number, metric: string, count: number) => {
      const id = `${appId}/${day}/${metric}`;
      if (count > 0) rows.set(id, { id, appId, metric, day, count: count + (rows.get(id)?.count ?? 0) });
    };
    for (const [appId, channels] of checks) {
      for (const [channel, count] of Object.entries(channels)) add(appId, checksMetric(channel), count ?? 0);
    }
    return [...rows.values()];
  }
}
