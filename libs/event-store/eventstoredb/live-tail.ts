import { type EventBatch, type Position, START, type Subscription } from '../port';
import { runSubscription, type SubscriptionSource } from '../subscription';
import { AppendNotifier } from '../append-notifier';
import { LogWindow } from './log-window';

/** How much of the log's end is held. */
const HELD_BYTES = 8 * 1024 * 1024;
/** Those who wait for the position alone, not for an event of theirs, notice it within this. */
const NOTICE_MS = 20;

export interface LiveTailOptions extends SubscriptionSource {
  /** What was in the log so long ago, in milliseconds, and has not come since, will not come by itself. */
  readonly standsMs: number;
}

/**
 * The end of the log, received once for all subscriptions of the process. A filtered subscription
 * reports its position every so many records, and on a quiet store never, so no reader could know from
 * it that there was nothing to apply; this one sees every record immediately. It also is quick: the
 * server drops a subscriber that leaves more than 32 records waiting.
 *
 * A node that the others of its cluster can't reach keeps its subscribers and sends nothing more to
 * them: a tail that is behind the head is subscribed again, from the leader.
 */
export class LiveTail {
  readonly #notifier = new AppendNotifier(() => this.#window?.to ?? START, NOTICE_MS);
  #window: LogWindow | undefined;
  #starting: Promise<Position> | undefined;
  #subscription: Subscription | undefined;
  #watch: NodeJS.Timeout | undefined;
  #receiving = new AbortController();
  #closed = false;

  constructor(private readonly source: LiveTailOptions) {}

  /**
   * Where the held stretch begins: everything behind it is here, or will be. Begins at the log's head, with
   * the first call. @throws the source's error while there is no head to begin at
   */
  start(): Promise<Position> {
    if (this.#window !== undefined) return Promise.resolve(this.#window.from);
    this.#starting ??= this.#begin().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** The matching events behind `after`; undefined when the held stretch begins later. */
  page(after: Position, prefixes: readonly string[], limit: number): EventBatch | undefined {
    return this.#window?.page(after, prefixes, limit);
  }

  /** Resolves when there may be more behind the position, or the signal aborts. */
  wait(after: Position, prefixes: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#notifier.wait(after, prefixes, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await this.#subscription?.close();
  }

  async #begin(): Promise<Position> {
    const head = await this.source.head();
    const window = (this.#window = new LogWindow(head));
    const batches = (after: Position, signal: AbortSignal) => this.#batches(after, signal);
    this.#subscription = runSubscription(
      { head: this.source.head, batches },
      {
        after: head,
        handle: (batch) => {
          window.add(batch);
          if (window.bytes > HELD_BYTES) window.forget(HELD_BYTES);
          this.#notifier.appended(batch.events.map(({ stream }) => stream));
          return Promise.resolve();
        },
      },
    );
    if (this.#closed) await this.#subscription.close();
    else this.#watchOver(window, head);
    return head;
  }

  async *#batches(after: Position, signal: AbortSignal): AsyncGenerator<EventBatch> {
    this.#receiving = new AbortController();
    yield* this.source.batches(after, AbortSignal.any([signal, this.#receiving.signal]));
    if (!signal.aborted) throw new Error('It stood behind the head.');
  }

  /** An unavailable store returns no head, and its subscriptions restart by themselves. */
  #watchOver(window: LogWindow, head: Position): void {
    let seen = { head, to: head };
    const look = async (): Promise<void> => {
      const stands = window.to === seen.to && window.to < seen.head;
      if (stands) this.#receiving.abort();
      seen = { head: await this.source.head(), to: window.to };
    };
    this.#watch = setInterval(() => void look().catch(() => undefined), this.source.standsMs).unref();
  }
}
