import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import {
  type Caller,
  getSyncLog,
  getSyncStatus,
  listSyncLogs,
  type ReplyOf,
  type RequestOf,
  startSync,
  type SyncLog,
} from '@sluice/contracts';
import { type CommandHandling, COMMANDS } from '@sluice/event-store';
import { DomainError, newUlid } from '@sluice/kernel';
import { CommandOf, QueryOf } from '@sluice/messaging';
import { CLOCK, type Clock } from '@sluice/service-host';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { Connections } from '../connection/connections';
import { toClientError } from '../connection/remote-refusals';
import { RemoteError } from '../remotes/remote-catalog';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { FIRST_VALUES, SavedSettings } from '../settings/saved-settings';
import type { RunTrigger } from './domain/runs';
import { SyncLogs } from './sync-logs';
import { SyncRunWorker } from './sync-run-worker';

export class GetSyncLog extends QueryOf(getSyncLog) {}

@QueryHandler(GetSyncLog)
export class GetSyncLogHandler implements IQueryHandler<GetSyncLog> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  async execute({ request: { id } }: GetSyncLog): Promise<SyncLog> {
    await this.saved.ofWorkingModule();
    const log = await this.logs.get(id);
    if (log === undefined) throw new DomainError('NOT_FOUND', 'There is no log with this id, or it was pruned.');
    return log;
  }
}

export class GetSyncStatus extends QueryOf(getSyncStatus) {}

@QueryHandler(GetSyncStatus)
export class GetSyncStatusHandler implements IQueryHandler<GetSyncStatus> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  async execute(): Promise<ReplyOf<typeof getSyncStatus>> {
    const { current } = (await this.saved.ofWorkingModule()).runs;
    if (current === null) return { running: false, progress: null };
    const [log, lease] = await Promise.all([this.logs.get(current.runId), this.logs.lease(current.runId)]);
    return {
      running: true,
      progress: {
        log_id: current.runId,
        run_type: current.runType,
        trigger: current.trigger,
        started_at: current.startedAt,
        heartbeat_at: lease?.heartbeat_at ?? null,
        items_read: lease?.items_read ?? 0,
        items_expected: lease?.items_expected ?? 0,
        items_processed: log?.items_processed ?? 0,
        items_failed: log?.items_failed ?? 0,
        items_deleted: log?.items_deleted ?? 0,
      },
    };
  }
}

export class ListSyncLogs extends QueryOf(listSyncLogs) {}

@QueryHandler(ListSyncLogs)
export class ListSyncLogsHandler implements IQueryHandler<ListSyncLogs> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  async execute({ request: { page, perPage } }: ListSyncLogs): Promise<ReplyOf<typeof listSyncLogs>> {
    await this.saved.ofWorkingModule();
    return this.logs.page((page - 1) * perPage, perPage);
  }
}

export class StartSync extends CommandOf(startSync) {
  constructor(
    request: RequestOf<typeof startSync>,
    caller: Caller,
    readonly trigger: RunTrigger = 'manual',
    /** Of a scheduled run: the one before, as whoever found it due knows it. */
    readonly after: string | null = null,
  ) {
    super(request, caller);
  }
}

/** Shorter than the gateway waits. */
const PATIENCE_MS = 20_000;

@CommandHandler(StartSync)
export class StartSyncHandler implements ICommandHandler<StartSync> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly worker: SyncRunWorker,
    private readonly saved: SavedSettings,
    private readonly connections: Connections,
  ) {}

  /** Without an account to push to no run is begun: it is looked for where it is not known yet. */
  async execute({ request, caller, trigger, after }: StartSync): Promise<ReplyOf<typeof startSync>> {
    await this.saved.ofWorkingModule();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await this.connections.open(signal).catch((error: unknown) => {
      const late = signal.aborted && error === signal.reason;
      throw toClientError(late ? new RemoteError('timeout', `It did not answer within ${PATIENCE_MS} ms.`) : error);
    });
    const { events } = await this.commands.handle(
      merchant,
      merchantStream(STORE_ID),
      {
        type: 'StartRun',
        runId: newUlid(),
        runType: request.run_type,
        productId: request.product_id,
        trigger,
        after,
        now: this.clock.now().toISOString(),
        offerPrefix: this.settings.offerIdPrefix,
        firstValues: this.firstValues,
      },
      caller,
    );
    this.worker.wake();
    const started = events.find((event) => event.type === 'SyncRunStarted');
    // Only a scheduled one is neither started nor refused: another replica was faster.
    return { log_id: started?.type === 'SyncRunStarted' ? started.data.runId : '' };
  }
}

export const runsCalls = [GetSyncLog, GetSyncStatus, ListSyncLogs, StartSync] as const;
export const runsHandlers = [GetSyncLogHandler, GetSyncStatusHandler, ListSyncLogsHandler, StartSyncHandler];
