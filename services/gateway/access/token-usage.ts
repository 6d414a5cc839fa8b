import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { recordTokenUse, type TokenUse as Use } from '@sluice/contracts';
import { Outbox, StateStore } from '@sluice/document-store';
import { CLOCK, PeriodicTask, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';

const WRITE_EVERY_MS = 5_000;
const BATCH = 500;
/** A process that stops waits no longer for its last call. */
const PATIENCE_MS = 2_000;
const FAULT = 'The use of access tokens could not be written';

/**
 * Remembers when tokens were used and sends it to the registry in batches: stored within five seconds
 * and the time of a call. What a process noted last is lost when it is killed; one that stops while
 * the registry is unavailable leaves it to another gateway.
 */
@Injectable()
export class TokenUse implements OnApplicationShutdown {
  /** Noted and not yet written: milliseconds since the epoch by token id. */
  private readonly noted = new Map<number, number>();
  private readonly outbox: Outbox<Use>;
  private readonly writes: PeriodicTask;

  constructor(
    state: StateStore,
    @Inject(MESSAGING) private readonly messaging: Pick<Messaging, 'request'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.outbox = new Outbox(state, 'tokenUseOutbox');
    this.writes = new PeriodicTask({
      everyMs: () => WRITE_EVERY_MS,
      run: () => this.writeNoted(),
      fault: FAULT,
      logger,
    });
    this.writes.start();
  }

  note(tokenId: number): void {
    this.noted.set(tokenId, this.clock.now().getTime());
  }

  /** Writes what was noted; what fails is kept for the next time. */
  write(): Promise<void> {
    return this.writes.runNow();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writes.stop();
    await this.writes.runNow();
    await this.outbox
      .add([...this.noted].map(useOf))
      .catch((error: unknown) => this.logger.error({ err: error }, FAULT));
  }

  private async writeNoted(): Promise<void> {
    await this.outbox.take(({ id, usedAt }) =>
      this.noted.set(id, Math.max(this.noted.get(id) ?? 0, Date.parse(usedAt))),
    );
    const batch = [...this.noted].slice(0, BATCH);
    if (batch.length === 0) return;
    const uses = batch.map(useOf);
    const caller = { actor: 'system:gateway', commandId: newCommandId() };
    await this.messaging.request(recordTokenUse, { uses }, caller, { timeoutMs: PATIENCE_MS });
    for (const [id, at] of batch) if (this.noted.get(id) === at) this.noted.delete(id);
  }
}

const useOf = ([id, at]: readonly [number, number]): Use => ({ id, usedAt: new Date(at).toISOString() });
