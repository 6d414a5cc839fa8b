import type { EventBatch, Position, RecordedEvent, Subscription } from '../port';
import { runSubscription, type SubscriptionSource } from '../subscription';
import { Wakeups } from '../wakeups';

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
 * tells its position every so many records, and on a quiet store never, so nobody could know from
 * it that there was nothing to apply; this one sees every record and knows at once. It also is quick: the
 * server drops whoever leaves more than 32 records waiting.
 *
 * A node that the others of its cluster can't reach keeps its subscribers and has nothing more to tell
 * them: a tail that stands behind the head is received anew, from the leader.
 */
export class LiveTail {
  readonly #wakeups = new Wakeups(() => this.#to, NOTICE_MS);
  #events: RecordedEvent[] = [];
  #from: Position | undefined;
  #to: Position = '';
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
    if (this.#from !== undefined) return Promise.resolve(this.#from);
    this.#starting ??= this.#begin().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** The matching events behind `after`; undefined when the held stretch begins later. */
  page(after: Position, prefixes: readonly string[], limit: number): EventBatch | undefined {
    if (this.#from === undefined || after < this.#from) return undefined;
    const events: RecordedEvent[] = [];
    for (let index = firstBehind(this.#events, after); index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (!event || !prefixes.some((prefix) => event.stream.startsWith(prefix))) continue;
      events.push(event);
      if (events.length === limit) return { events, position: event.position };
    }
    return { events, position: this.#to > after ? this.#to : after };
  }

  /** Resolves when there may be more behind the position, or the signal aborts. */
  wait(after: Position, prefixes: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#wakeups.wait(after, prefixes, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await this.#subscription?.close();
  }

  async #begin(): Promise<Position> {
    const head = await this.source.head();
    this.#from = this.#to = head;
    const batches = (after: Position, signal: AbortSignal) => this.#batches(after, signal);
    this.#subscription = runSubscription(
      { head: this.source.head, batches },
      {
        after: head,
        handle: (batch) => {
          this.#hold(batch);
          return Promise.resolve();
        },
      },
    );
    if (this.#closed) await this.#subscription.close();
    else this.#watchOver(head);
    return head;
  }

  async *#batches(after: Position, signal: AbortSignal): AsyncGenerator<EventBatch> {
    this.#receiving = new AbortController();
    yield* this.source.batches(after, AbortSignal.any([signal, this.#receiving.signal]));
    if (!signal.aborted) throw new Error('It stood behind the head.');
  }

  /** A store that is away answers no head, and its subscriptions begin anew by themselves. */
  #watchOver(head: Position): void {
    let seen = { head, to: head };
    const look = async (): Promise<void> => {
      const stands = this.#to === seen.to && this.#to < seen.head;
      if (stands) this.#receiving.abort();
      seen = { head: await this.source.head(), to: this.#to };
    };
    this.#watch = setInterval(() => void look().catch(() => undefined), this.source.standsMs).unref();
  }

  #hold({ events, position }: EventBatch): void {
    this.#events.push(...events);
    this.#to = position;
    this.#forget();
    this.#wakeups.appended(events.map(({ stream }) => stream));
  }

  /** Positions are places in the log: their distance is its size in bytes. */
  #forget(): void {
    const first = this.#events[0];
    const horizon = bytesAt(this.#to) - HELD_BYTES;
    if (!first || bytesAt(first.position) > horizon) return;
    const kept = this.#events.findIndex(({ position }) => bytesAt(position) > horizon);
    const forgotten = this.#events.splice(0, kept === -1 ? this.#events.length : kept);
    this.#from = forgotten.at(-1)?.position ?? this.#from;
  }
}

function bytesAt(position: Position): number {
  return Number(position.split('.', 1)[0]);
}

/** By halving: the events are in order. */
function firstBehind(events: readonly RecordedEvent[], after: Position): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.position ?? after) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
