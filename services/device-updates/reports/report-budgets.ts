import type { StateStore } from '@sluice/document-store';
import { DomainError, type Clock, type Logger } from '@sluice/kernel';
import { reportsOverBudget } from '@sluice/telemetry';
import type { DeviceUpdatesSettings } from '../config/device-updates.settings';
import { dayOf } from './domain/report';
import { deviceReports } from './device-reports';

export interface ReportBudgetsOptions {
  readonly state: StateStore;
  readonly clock: Clock;
  readonly settings: Pick<DeviceUpdatesSettings, 'reportsPerAppPerDay' | 'reportsPerOwnerPerDay'>;
  readonly logger: Logger;
}

interface Usage {
  readonly ownerId: number;
  /** Of the day, as the store said last, and those that this process has written since. */
  rows: number;
  /** When the store was last asked; milliseconds that never go back. */
  readAt: number;
}

/** What other processes wrote is seen after so long. */
const READ_EVERY_MS = 60_000;
const MAX_RETRY_AFTER_SECONDS = 3_600;
const DAY_MS = 86_400_000;

/**
 * How many reports an app and an owner may have stored on one day (UTC): the app's key is in every install, so anybody
 * may send as many as the limits by address allow. In memory; the store is counted in the background, once a minute for
 * an app whose devices report. Until the first count of a day, an app counts as unused.
 */
export class ReportBudgets {
  private day = '';
  private readonly apps = new Map<number, Usage>();
  private readonly owners = new Map<number, number>();
  private readonly warned = new Set<string>();

  constructor(private readonly options: ReportBudgetsOptions) {
    for (const budget of ['app', 'owner']) reportsOverBudget.inc({ budget }, 0);
  }

  /** @throws DomainError RATE_LIMITED when the app or its owner has used up the day */
  check(appId: number, ownerId: number): void {
    const { settings, logger, clock } = this.options;
    const usage = this.usageOf(appId, ownerId);
    if (clock.monotonic() - usage.readAt >= READ_EVERY_MS) void this.refresh(appId, ownerId);
    const ofOwner = this.owners.get(ownerId) ?? 0;
    const spent =
      usage.rows >= settings.reportsPerAppPerDay
        ? 'app'
        : ofOwner >= settings.reportsPerOwnerPerDay
          ? 'owner'
          : undefined;
    if (spent === undefined) return;
    reportsOverBudget.inc({ budget: spent });
    const subject = spent === 'app' ? `app ${appId}` : `owner ${ownerId}`;
    if (!this.warned.has(subject)) {
      this.warned.add(subject);
      logger.warn(
        `The daily budget of device reports of ${subject} is used up; further reports are rejected until midnight UTC`,
      );
    }
    const message = `The ${spent} has no device reports left for today (UTC). Send it again later.`;
    throw new DomainError('RATE_LIMITED', message, { retry_after: this.secondsLeft() });
  }

  /** Counts rows that were written. */
  wrote(appId: number, rows: number): void {
    const usage = this.apps.get(appId);
    if (usage === undefined) return;
    usage.rows += rows;
    this.addToOwner(usage.ownerId, rows);
  }

  /** Counts what is stored of the app today. Rows that are written meanwhile may be counted twice, or not until the next time. */
  async refresh(appId: number, ownerId: number): Promise<void> {
    const usage = this.usageOf(appId, ownerId);
    const { day } = this;
    usage.readAt = this.options.clock.monotonic();
    try {
      const count = await this.options.state.rows(deviceReports).count({ day, appId });
      if (day !== this.day) return;
      this.addToOwner(ownerId, count - usage.rows);
      usage.rows = count;
    } catch (error) {
      this.options.logger.error({ err: error }, 'The stored device reports of an app could not be counted');
    }
  }

  private usageOf(appId: number, ownerId: number): Usage {
    const today = dayOf(this.options.clock.now());
    if (today !== this.day) {
      this.day = today;
      this.apps.clear();
      this.owners.clear();
      this.warned.clear();
    }
    const known = this.apps.get(appId);
    if (known !== undefined) return known;
    const usage = { ownerId, rows: 0, readAt: -Infinity };
    this.apps.set(appId, usage);
    return usage;
  }

  private addToOwner(ownerId: number, rows: number): void {
    this.owners.set(ownerId, (this.owners.get(ownerId) ?? 0) + rows);
  }

  private secondsLeft(): number {
    const passedMs = this.options.clock.now().getTime() % DAY_MS;
    return Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil((DAY_MS - passedMs) / 1_000));
  }
}
