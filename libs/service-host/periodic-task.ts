import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { UnavailableError, type Logger } from '@sluice/kernel';

export interface PeriodicTaskOptions {
  /**
   * Milliseconds between the end of a run and the next one. A number is varied by up to a quarter each time, so that
   * replicas spread. A function is called after each run, and its result is exact.
   */
  readonly everyMs: number | (() => number);
  /** Milliseconds before the first run, exact. Default: the usual pause. */
  readonly firstAfterMs?: number;
  readonly run: () => Promise<unknown>;
  /** The log message when a run fails. Not repeated until the error's message changes or a run succeeds. */
  readonly fault: string;
  readonly logger: Logger;
}

/**
 * Runs a function repeatedly from `start` to `stop`, one run at a time, and continues after a failed run. As a provider
 * it runs as long as the application does.
 */
export class PeriodicTask implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private last = Promise.resolve();
  private ended = Promise.resolve();
  private fault: string | undefined;
  private woken = false;
  private endSleep: () => void = () => undefined;

  constructor(private readonly task: PeriodicTaskOptions) {}

  onApplicationBootstrap(): void | Promise<void> {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** Aborts when the task is stopped, so that a long run can end early. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  start(): void {
    this.ended = this.loop();
  }

  /** Aborts the signal and waits for the current run. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.ended;
  }

  /** Ends the pause. During a run, skips the next pause. */
  wake(): void {
    this.woken = true;
    this.endSleep();
  }

  /** Runs once more after the current runs, also before the start or after the stop. Never rejects. */
  runNow(): Promise<void> {
    this.last = this.last.then(() => this.runOnce());
    return this.last;
  }

  private async loop(): Promise<void> {
    await this.sleep(this.task.firstAfterMs ?? this.nextPauseMs());
    while (!this.signal.aborted) {
      await this.runNow();
      await this.sleep(this.nextPauseMs());
    }
  }

  private nextPauseMs(): number {
    const { everyMs } = this.task;
    return typeof everyMs === 'function' ? everyMs() : everyMs * (0.75 + Math.random() / 2);
  }

  private async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.woken || this.signal.aborted) this.endSleep();
    });
    this.woken = false;
  }

  private async runOnce(): Promise<void> {
    const { run, fault, logger } = this.task;
    const stopped = this.signal.aborted;
    try {
      await run();
      this.fault = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // A run that fails because of the stop is not a fault.
      if (message === this.fault || (this.signal.aborted && !stopped)) return;
      this.fault = message;
      // EngineHealth logs unavailable engines.
      if (error instanceof UnavailableError) logger.warn(`${fault}. ${message}`);
      else logger.error({ err: error }, fault);
    }
  }
}
