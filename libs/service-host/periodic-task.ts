import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { UnavailableError, type Logger } from '@sluice/kernel';

export interface PeriodicTaskOptions {
  /**
   * Milliseconds between the end of a run and the next one. A number is made up to a quarter shorter or longer each
   * time, so that replicas spread; a function is called after each run, and its result is exact.
   */
  readonly everyMs: number | (() => number);
  /** Milliseconds before the first run, exact. Default: as before any other run. */
  readonly firstAfterMs?: number;
  readonly run: () => Promise<unknown>;
  /** Logged when a run rejects, once until the error's message changes or a run succeeds. */
  readonly fault: string;
  readonly logger: Logger;
}

/**
 * Runs something again and again from `start` to `stop`, one run at a time, also after a run rejected. As a provider
 * it runs for as long as the application does.
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

  /** Aborts when the task is to stop: a long run should end soon. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  start(): void {
    this.ended = this.loop();
  }

  /** Aborts the signal and waits for the run in hand. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.ended;
  }

  /** Ends the pause; during a run, leaves out the next one. */
  wake(): void {
    this.woken = true;
    this.endSleep();
  }

  /** Runs once more after the runs in hand, also before the start or after the stop. Never rejects. */
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
      // What fails because it was stopped is no fault.
      if (message === this.fault || (this.signal.aborted && !stopped)) return;
      this.fault = message;
      // The process itself logs that an engine is unavailable.
      if (error instanceof UnavailableError) logger.warn(`${fault}. ${message}`);
      else logger.error({ err: error }, fault);
    }
  }
}
