import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { type Caller, type ReplyOf, type RequestOf, startSync } from '@sluice/contracts';
import { type CommandHandling, COMMANDS } from '@sluice/event-store';
import { newUlid } from '@sluice/kernel';
import { HandlesCommand } from '@sluice/messaging';
import { CLOCK, type Clock } from '@sluice/service-host';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { Connections } from '../connection/connections';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { FIRST_VALUES, SavedSettings } from '../settings/saved-settings';
import type { RunTrigger } from './domain/runs';
import { SyncRunWorker } from './sync-run-worker';

/** Shorter than the gateway waits. */
const PATIENCE_MS = 20_000;

@Injectable()
export class RunStarts {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly worker: SyncRunWorker,
    private readonly saved: SavedSettings,
    private readonly connections: Connections,
  ) {}

  /**
   * A run starts only with a merchant account, which is looked up when it is not stored yet.
   * @param after of a scheduled run: the previous one, as the scheduler read it
   */
  @HandlesCommand(startSync)
  async start(
    request: RequestOf<typeof startSync>,
    caller: Caller,
    trigger: RunTrigger = 'manual',
    after: string | null = null,
  ): Promise<ReplyOf<typeof startSync>> {
    await this.saved.ofWorkingModule();
    await this.connections.openWithin(PATIENCE_MS);
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
    // Only a scheduled run may not start without an error: another replica was faster.
    return { log_id: started?.type === 'SyncRunStarted' ? started.data.runId : '' };
  }
}
