export interface PeriodicWritesOptions {
  readonly everyMs: number;
  /** What it does not write it keeps for the next time. */
  readonly write: () => Promise<void>;
  /** Told of a write that rejected. */
  readonly failed: (error: unknown) => void;
}

/** Notes that are written in batches: by a timer, one write at a time, and once more at the end. */
export class PeriodicWrites {
  private readonly timer: NodeJS.Timeout;
  private last = Promise.resolve();

  constructor(private readonly options: PeriodicWritesOptions) {
    this.timer = setInterval(() => void this.now(), options.everyMs).unref();
  }

  /** Behind the writes in hand; never rejects. */
  now(): Promise<void> {
    this.last = this.last.then(this.options.write).catch(this.options.failed);
    return this.last;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.now();
  }
}
