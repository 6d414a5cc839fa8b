import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { type Caller, type ReplyOf, type RequestOf, startSync } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newUlid } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import type { RunTrigger } from './domain/runs';
import { SyncRunWorker } from './sync-run-worker';
import { Connections } from '../connection/connections';
import { RemoteError } from '../remotes/remote-catalog';
import { toClientError } from '../connection/remote-refusals';
import { FIRST_VALUES, SavedSettings } from '../settings/saved-settings';

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
