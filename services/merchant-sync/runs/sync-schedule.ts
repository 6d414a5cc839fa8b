import { createHash } from 'node:crypto';
import type { ReadStore } from '@sluice/document-store';
import type { Settings } from '@sluice/config';
import { PeriodicTask, type Logger } from '@sluice/service-host';
import type { CommandHandling } from '@sluice/event-store';
import { type Clock, DomainError, newCommandId } from '@sluice/kernel';
import {
  type ListingsModule,
  merchant,
  type Merchant,
  merchantStream,
  moduleOf,
  STORE_ID,
} from '../settings/domain/merchant';
import type { RemoteCatalog } from '../remotes/remote-catalog';
import type { RunStarts } from './run-starts';
import { hasFoundSunset, LATEST_FIRST, syncLogRows, syncLogsProjection } from './sync-logs.projection';

const FIRST_LOOK_MS = 1_000;
const LOOK_EVERY_MS = 20_000;
/** The pause after the first rejected run; it doubles with each further one, up to an hour. */
const FIRST_RETREAT_MS = 60_000;
const LONGEST_RETREAT_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A scheduled run starts up to this share of the interval later, so that many shops do not push simultaneously. */
const JITTER = 0.05;

export interface SyncScheduleOptions {
  readonly commands: CommandHandling;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly firstValues: ListingsModule;
  readonly remote: Pick<RemoteCatalog, 'adapter'>;
  readonly starts: Pick<RunStarts, 'start'>;
  readonly settings: Pick<Settings, 'pluginName'>;
  readonly logger: Logger;
}

/**
 * The scheduled jobs. svc_product_sync starts a run once per interval by the wall clock, first one interval after
 * connecting, and none while the shop is not connected or needs a new grant. svc_sync_cleanup prunes logs once a
 * day. Both are idle while the module is off or not entitled. Every replica checks the schedule; the shop's
 * stream lets one of them run the job.
 */
export class SyncSchedule extends PeriodicTask {
  private prunedAt = 0;
  private retreatMs = FIRST_RETREAT_MS;
  private retreatEnds = 0;

  constructor(private readonly options: SyncScheduleOptions) {
    super({
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: FIRST_LOOK_MS,
      run: () => this.look(),
      fault: 'The listings schedule failed and will be retried.',
      logger: options.logger,
    });
  }

  /** Does what is due now. */
  async look(): Promise<void> {
    const { commands, firstValues, clock } = this.options;
    const { state } = await commands.load(merchant, merchantStream(STORE_ID));
    const { enabled, entitled } = moduleOf(state, firstValues);
    if (!enabled || !entitled) return;
    const now = clock.now().getTime();
    if (now - this.prunedAt >= DAY_MS) {
      await this.prune(state, now);
      this.prunedAt = now;
      this.logJob('sync_cleanup');
    }
    if (state.connection === null || state.connection.needsReauthorization) return;
    if (state.runs.current !== null || now < Math.max(dueAt(state), this.retreatEnds)) return;
    if (await this.isHopeless(state)) return;
    try {
      const caller = { actor: 'system:schedule', commandId: newCommandId() };
      await this.options.starts.start({}, caller, 'schedule', state.runs.scheduledAt);
      this.retreatMs = FIRST_RETREAT_MS;
      this.logJob('product_sync');
    } catch (error) {
      this.retreatEnds = now + this.retreatMs;
      this.retreatMs = Math.min(2 * this.retreatMs, LONGEST_RETREAT_MS);
      // Diagnostics report why the run was rejected.
      if (!(error instanceof DomainError)) throw error;
    }
  }

  /** Whether the merchant API has ended: only another REMOTE_CATALOG fixes that. */
  private async isHopeless({ connection }: Merchant): Promise<boolean> {
    const where = { completed_at: { gt: connection?.connectedAt ?? '' } };
    const [last] = await this.logs().find({ where, sort: LATEST_FIRST, limit: 1 });
    return hasFoundSunset(last, this.options.remote);
  }

  private async prune(state: Merchant, now: number): Promise<void> {
    const before = new Date(now - state.sync.log_retention_days * DAY_MS).toISOString();
    const old = await this.logs().count({ started_at: { lt: before }, completed_at: { gt: '' } });
    if (old === 0) return;
    const context = { commandId: newCommandId(), actor: 'system:sync-cleanup' };
    const command = { type: 'PruneLogs', before } as const;
    await this.options.commands.handle(merchant, merchantStream(STORE_ID), command, context, { waitForReaders: false });
  }

  private logJob(job: 'product_sync' | 'sync_cleanup'): void {
    const { logger, settings } = this.options;
    logger.info({ job: `${settings.pluginName}_${job}` }, 'Scheduled job ran');
  }

  private logs() {
    return this.options.readStore.view(syncLogsProjection.name, syncLogRows);
  }
}

/** Milliseconds since 1970: one interval and some jitter, the same for every replica, behind what came last. */
export function dueAt({ connection, runs, sync }: Pick<Merchant, 'connection' | 'runs' | 'sync'>): number {
  const { connectedAt = '' } = connection ?? {};
  const base = runs.scheduledAt !== null && runs.scheduledAt > connectedAt ? runs.scheduledAt : connectedAt;
  const interval = sync.sync_interval_minutes * MINUTE_MS;
  const part = createHash('sha256').update(base).digest().readUInt16BE() / 0x1_0000;
  return Date.parse(base) + interval * (1 + JITTER * part);
}
