import type { Settings } from '@sluice/config';
import { pause } from '@sluice/event-store';
import { type Projections } from '@sluice/projections';
import { type ReadStore, type StateStore, StoredLeases } from '@sluice/document-store';
import { PeriodicTask, type Logger } from '@sluice/service-host';
import type { CommandContext, CommandHandling } from '@sluice/event-store';
import {
  type Clock,
  DomainError,
  isUnavailable,
  LostLeaseError,
  newCommandId,
  newUlid,
  UnavailableError,
} from '@sluice/kernel';
import {
  type ListingsModule,
  merchant,
  type Merchant,
  merchantStream,
  moduleOf,
  STORE_ID,
} from '../settings/domain/merchant';
import type { RunOrder, RunOutcome } from './domain/runs';
import { type ClosedRun, syncRun, type SyncRun, type SyncRunCommand, syncRunStream } from './domain/sync-run';
import { mappingRows, mappingsProjection } from './mappings.projection';
import { RemoteError } from '../remotes/remote-catalog';
import { type RunLeaseRow, runLeases } from './run-leases';
import { faultOf, RunCancelledError, RunPausedError } from './run-faults';
import type { RunOptions } from './run-scope';
import { RunWork } from './run-work';

const POLL_MS = 1_000;
const SETTLE_PAUSE_MS = 250;
/** A run that was taken this often crashes every process that works on it. */
const MAX_TAKES = 20;

/** What a run needs of the shop and the connected account, as they stand when it is taken. */
export interface SyncContext extends Pick<RunOptions, 'source' | 'openMap' | 'remote' | 'access' | 'email'> {
  /** The run ends when another connection takes its place. */
  readonly connectionId: string;
}

export interface SyncRunWorkerOptions {
  readonly commands: CommandHandling;
  readonly readStore: ReadStore;
  readonly state: StateStore;
  readonly projections: Projections;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'jobLeaseMs' | 'stopGraceMs'>;
  readonly firstValues: ListingsModule;
  readonly syncContexts: {
    /** @throws RunCancelledError when no account is connected; DomainError, RemoteError when it can't be used */
    open(merchant: Merchant, signal: AbortSignal): Promise<SyncContext>;
  };
  readonly logger: Logger;
}

/**
 * Works on the current run if no other process does: a run that was just started, or one whose process was
 * killed. Every process has a worker. The lease lets only one of them work, and the run's own stream rejects
 * events of a worker that lost its lease.
 */
export class SyncRunWorker extends PeriodicTask {
  private readonly leases: StoredLeases<RunLeaseRow>;
  /** Of the run in hand. */
  private itemsRead = 0;
  private readonly released = new AbortController();

  constructor(private readonly options: SyncRunWorkerOptions) {
    super({
      everyMs: POLL_MS,
      firstAfterMs: 0,
      run: async () => {
        const state = await this.merchant();
        if (state.runs.current !== null) await this.keep(state.runs.current);
      },
      fault: 'A sync run can not continue now; it will be retried.',
      logger: options.logger,
    });
    const { state: store, clock, settings } = options;
    this.leases = new StoredLeases({ store, clock, collection: runLeases, leaseMs: settings.jobLeaseMs });
  }

  /**
   * Starts no further batch, waits for requests in progress for half of the shutdown time, and then aborts them.
   * The next process continues immediately.
   */
  override async stop(): Promise<void> {
    const release = setTimeout(() => this.released.abort(), this.options.settings.stopGraceMs / 2);
    await super.stop();
    clearTimeout(release);
  }

  private async keep(order: RunOrder): Promise<void> {
    const holder = newUlid();
    const mappings = this.options.readStore.view(mappingsProjection.name, mappingRows);
    const items_expected = await mappings.count({ live: true });
    this.itemsRead = 0;
    const lease = await this.leases.take(() => ({
      ...{ id: order.runId, holder, items_expected, items_read: this.itemsRead },
      heartbeat_at: this.options.clock.now().toISOString(),
    }));
    if (lease === undefined) return;
    try {
      const outcome = await this.workOn(order, holder, lease.signal);
      await this.end(order.runId, outcome);
    } catch (error) {
      // After a fault the lease runs out by itself, which keeps the pace of the next attempt.
      if (!(error instanceof RunPausedError) && !(error instanceof LostLeaseError)) {
        await lease.stop();
        throw error;
      }
    }
    await lease.release();
  }

  /** Takes the run and brings it to its end; for a run that has ended, only returns its outcome. */
  private async workOn(order: RunOrder, holder: string, held: AbortSignal): Promise<RunOutcome> {
    const { commands } = this.options;
    const stream = syncRunStream(order.runId);
    const before = (await commands.load(syncRun, stream)).state;
    if (before.status !== 'none' && before.status !== 'running') return before.status;
    const { sync } = await this.merchant();
    const run = await this.command(order.runId, {
      type: 'TakeRun',
      holder,
      takes: before.takes,
      run: { order, settings: sync },
    });
    const closed = await this.closing(order, run, holder, AbortSignal.any([held, this.released.signal]));
    return this.close(order.runId, holder, closed);
  }

  /** When the details of a run can't be stored, the run ends without them. */
  private async close(runId: string, holder: string, closed: ClosedRun): Promise<RunOutcome> {
    const end = async (told: ClosedRun) => {
      await this.command(runId, { type: 'CloseRun', holder, ...told }, true);
      return told.outcome;
    };
    try {
      return await end(closed);
    } catch (error) {
      if (error instanceof LostLeaseError || isUnavailable(error)) throw error;
      this.options.logger.error({ err: error }, `The result of sync run ${runId} could not be stored.`);
      return end(failed('internal_error', 'The run ended, but its result could not be stored.', closed.skipped));
    }
  }

  private async closing(order: RunOrder, run: SyncRun, holder: string, signal: AbortSignal): Promise<ClosedRun> {
    const { clock, readStore, firstValues } = this.options;
    if (run.takes > MAX_TAKES) {
      return failed('internal_error', `The run was started ${run.takes} times and never finished.`);
    }
    let work: RunWork | undefined;
    try {
      const state = await this.merchant();
      requireOn(state, firstValues);
      const syncContext = await this.options.syncContexts.open(state, signal);
      const stillWanted = async () => {
        const now = await this.merchant();
        requireOn(now, firstValues);
        if (now.connection?.id !== syncContext.connectionId) throw disconnected();
      };
      const settled = () => this.settled(signal, stillWanted);
      await settled();
      const { target_country, content_language, channel } = state.feed;
      work = new RunWork({
        ...syncContext,
        ...{ order, run, clock, signal, settled, stillWanted },
        settings: run.settings ?? state.sync,
        target: { targetCountry: target_country, contentLanguage: content_language, channel },
        mappings: readStore.view(mappingsProjection.name, mappingRows),
        record: (progress) => this.command(order.runId, { type: 'RecordProgress', holder, progress }),
        progress: (read) => (this.itemsRead = read),
        stopping: this.signal,
      });
      return await work.work();
    } catch (error) {
      if (signal.aborted) throw new RunPausedError('The process stops, or lost the run.');
      if (error instanceof RunCancelledError) {
        return { outcome: 'cancelled', skipped: 0, error: error.message, details: { code: 'cancelled' } };
      }
      if (error instanceof RemoteError) {
        const { code, message } = faultOf(error);
        return failed(code, message, work?.skipped);
      }
      if (error instanceof DomainError && !isUnavailable(error)) {
        return failed(error.code, error.message, work?.skipped);
      }
      if (error instanceof RunPausedError || error instanceof LostLeaseError || isUnavailable(error)) throw error;
      this.options.logger.error({ err: error }, `Sync run ${order.runId} failed with an unexpected error.`);
      return failed(
        'internal_error',
        'The run failed because of a fault of the server. The server’s log has the details.',
        work?.skipped,
      );
    }
  }

  /**
   * Waits until the mappings hold every event that there is now.
   * @throws RunPausedError, and what `stillWanted` throws
   */
  private async settled(signal: AbortSignal, stillWanted: () => Promise<void>): Promise<void> {
    const stopping = AbortSignal.any([signal, this.signal]);
    for (;;) {
      try {
        await this.options.projections.find(mappingsProjection.name, () => Promise.resolve(undefined));
        return;
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
      }
      await pause(SETTLE_PAUSE_MS, stopping);
      if (stopping.aborted) throw new RunPausedError('The process stops, or lost the run.');
      await stillWanted();
    }
  }

  private async end(runId: string, outcome: RunOutcome): Promise<void> {
    const command = { type: 'EndRun', runId, outcome } as const;
    await this.options.commands.handle(merchant, merchantStream(STORE_ID), command, context());
  }

  private async merchant(): Promise<Merchant> {
    return (await this.options.commands.load(merchant, merchantStream(STORE_ID))).state;
  }

  private async command(runId: string, command: SyncRunCommand, waitForReaders = false): Promise<SyncRun> {
    const { commands } = this.options;
    return (await commands.handle(syncRun, syncRunStream(runId), command, context(), { waitForReaders })).state;
  }
}

/** @throws RunCancelledError */
function requireOn(state: Merchant, firstValues: ListingsModule): void {
  const { enabled, entitled } = moduleOf(state, firstValues);
  if (!enabled) throw new RunCancelledError('The listings module was turned off.');
  if (!entitled) throw new RunCancelledError('The entitlement listings_ads was taken away.');
}

function disconnected(): RunCancelledError {
  return new RunCancelledError('The merchant account was disconnected.');
}

function failed(code: string, message: string, skipped = 0): ClosedRun {
  return { outcome: 'failed', skipped, error: message, details: { code } };
}

function context(): CommandContext {
  return { commandId: newCommandId(), actor: 'system:sync' };
}
