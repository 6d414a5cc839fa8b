import { setTimeout as delay } from 'node:timers/promises';

/** A second, at full speed: more than any quota of the remote side. What it takes less, its refusals teach. */
const FULL_RATE = 1_000;
const SLOWEST_RATE = 1;

/**
 * How many calls may leave now. A refusal for their rate closes it as long as the remote said and
 * halves its rate; each call that gets through speeds it up again.
 */
export class TokenBucket {
  private rate = FULL_RATE;
  private tokens = FULL_RATE;
  private filledAt: number;
  private closedUntil = 0;

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      delay(ms, undefined, { signal }).catch(() => undefined),
  ) {
    this.filledAt = now();
  }

  /** Waits until there is one, then takes `count`, on credit if need be. @throws the signal's reason */
  async take(count: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const wait = this.waitMs();
      if (wait <= 0) break;
      await this.sleep(wait, signal);
    }
    this.tokens -= count;
  }

  slowDown(retryAfterMs: number): void {
    this.waitMs();
    this.rate = Math.max(SLOWEST_RATE, this.rate / 2);
    this.closedUntil = Math.max(this.closedUntil, this.now() + retryAfterMs);
  }

  speedUp(): void {
    this.waitMs();
    this.rate = Math.min(FULL_RATE, this.rate + FULL_RATE / 50);
  }

  /** Fills it as far as time has gone on; answers how long it takes until a call may leave. */
  private waitMs(): number {
    const now = this.now();
    this.tokens = Math.min(this.rate, this.tokens + ((now - this.filledAt) / 1_000) * this.rate);
    this.filledAt = now;
    const empty = this.tokens >= 1 ? 0 : ((1 - this.tokens) / this.rate) * 1_000;
    return Math.ceil(Math.max(empty, this.closedUntil - now));
  }
}
