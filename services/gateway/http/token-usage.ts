import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { tokenUsage, type TokenUsage } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { CLOCK, PeriodicTask, REPORT, type Clock, type Report } from '@sluice/engines';

const WRITE_EVERY_MS = 5_000;
const BATCH = 500;

/**
 * Remembers when tokens were used and writes it in batches: in the state store within five seconds
 * and the time of a write. What a process noted last is lost when it is killed.
 */
@Injectable()
export class TokenUse implements OnApplicationShutdown {
  /** Noted and not yet written: milliseconds since the epoch by token id. */
  private readonly noted = new Map<number, number>();
  private readonly writes: PeriodicTask;

  constructor(
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(REPORT) report: Report,
  ) {
    this.writes = new PeriodicTask({
      everyMs: () => WRITE_EVERY_MS,
      run: () => this.writeNoted(),
      fault: 'The use of access tokens could not be written',
      report,
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
  }

  private async writeNoted(): Promise<void> {
    const batch = [...this.noted].slice(0, BATCH);
    await this.writeLater(batch.map(([id, at]) => ({ id: String(id), lastUsedAt: new Date(at).toISOString() })));
    for (const [id, at] of batch) if (this.noted.get(id) === at) this.noted.delete(id);
  }

  /** Another gateway may have written a later use. */
  private async writeLater(usages: readonly TokenUsage[]): Promise<void> {
    if (usages.length === 0) return;
    const rows = this.state.rows(tokenUsage);
    const known = await rows.find({ where: { id: { in: usages.map(({ id }) => id) } } });
    const knownById = new Map(known.map((usage) => [usage.id, usage.lastUsedAt]));
    await rows.putMany(usages.filter(({ id, lastUsedAt }) => lastUsedAt > (knownById.get(id) ?? '')));
  }
}
