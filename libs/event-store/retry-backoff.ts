import type { Logger } from '@sluice/kernel';
import { EventStoreUnavailableError } from './port';

const FIRST_DELAY_MS = 100;
/** An engine that is back is used again within this time, however long it was unavailable. */
const LONGEST_DELAY_MS = 5_000;

/**
 * Keeps something trying that fails for a while: waits longer each time, and logs a fault once until it changes.
 * An event store that can't be used is one fault, whatever it comes from, and is logged without a stack: the
 * process logs the engine's state itself.
 */
export class RetryBackoff {
  #fault: string | undefined;
  /** Whether the event store is the fault. */
  #away = false;
  #delayMs = FIRST_DELAY_MS;

  constructor(
    private readonly subject: string,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  /** Undefined: nothing is wrong. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Resolves when it is time to try again, or immediately when it is time to stop. */
  async failed(error: unknown): Promise<void> {
    if (this.signal.aborted) return;
    const fault = error instanceof Error ? error.message : String(error);
    const away = error instanceof EventStoreUnavailableError;
    if (away ? !this.#away : fault !== this.#fault) {
      const message = `${this.subject} stopped: ${fault}`;
      if (away) this.logger.warn(message);
      else this.logger.error({ err: error }, message);
    }
    this.#fault = fault;
    this.#away = away;
    await pause(this.#delayMs, this.signal);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
  }

  succeeded(): void {
    this.#delayMs = FIRST_DELAY_MS;
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#away = false;
    this.logger.warn(`${this.subject} continues.`);
  }
}

/** Resolves after the time, or as soon as the signal says to stop. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
