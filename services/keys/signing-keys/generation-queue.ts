import { UnavailableError } from '@sluice/kernel';

/** A pair of 3072 bits takes about a second, so a rejected caller finds room again after this time. */
const RETRY_AFTER_SECONDS = 10;

/** Runs tasks one after the other, in the order of the calls, and rejects those beyond its capacity. */
export class GenerationQueue {
  private last: Promise<unknown> = Promise.resolve();
  private size = 0;

  /** @param capacity tasks that run or wait */
  constructor(private readonly capacity: number) {}

  /** @throws UnavailableError when it is full: the task was not begun */
  async run<Value>(task: () => Promise<Value>): Promise<Value> {
    if (this.size >= this.capacity) {
      throw new UnavailableError(
        `${this.capacity} signing keys are being made already. Try again when Retry-After has passed.`,
        RETRY_AFTER_SECONDS,
        'no',
      );
    }
    this.size += 1;
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.size -= 1;
    }
  }
}
