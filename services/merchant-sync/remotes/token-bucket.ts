import { setTimeout as delay } from 'node:timers/promises';

/** Calls per second at full speed: more than any quota of the merchant API. Rate-limit errors lower it. */
const FULL_RATE = 1_000;
const SLOWEST_RATE = 1;

/**
 * Limits the rate of calls. A rate-limit error closes it for the time in the response and halves its rate; each
 * successful call raises the rate again.
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

  /** Adds the tokens for the elapsed time; returns the wait until the next call is allowed. */
  private waitMs(): number {
    const now = this.now();
    this.tokens = Math.min(this.rate, this.tokens + ((now - this.filledAt) / 1_000) * this.rate);
    this.filledAt = now;
    const empty = this.tokens >= 1 ? 0 : ((1 - this.tokens) / this.rate) * 1_000;
    return Math.ceil(Math.max(empty, this.closedUntil - now));
  }
}
