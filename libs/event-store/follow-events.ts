import type { EventBatch, EventStore, Position, Subscription } from './port';
import { RetryBackoff } from './retry-backoff';
import { deferred, type Logger } from '@sluice/kernel';

export interface FollowOptions {
  readonly events: EventStore;
  readonly prefixes: readonly string[];
  /** At most this many events a batch. Default: the event store's. */
  readonly maxBatch?: number;
  /** Returns the position to follow from, exclusive. Rejecting: tried again. */
  readonly start: () => Promise<Position>;
  /**
   * One call at a time, in order. Rejecting: called with the same events again before anything past them. Once
   * `stopping` aborts it should end soon. It may call `progressed` once a part of the batch is handled completely: then
   * what failed before is over.
   */
  readonly handle: (batch: EventBatch, stopping: AbortSignal, progressed: () => void) => void | Promise<void>;
  /** The subject of the logged messages: "The access index". */
  readonly subject: string;
  readonly logger: Logger;
}

export interface Following {
  /** The error that interrupts it at present; undefined when there is none. */
  readonly fault: string | undefined;
  /** Resolves once `start` has succeeded, or it was closed before. */
  readonly started: Promise<void>;
  /**
   * Resolves once all events that the store held at the start are handled, or it was closed before. Rejects when
   * `handle` rejects before that.
   */
  readonly caughtUp: Promise<void>;
  /** Waits for the batch in hand. */
  close(): Promise<void>;
}

/**
 * Handles events from a position on until it is closed, whatever fails: faults are tried again with growing delays
 * and logged as `RetryBackoff` does.
 */
export function followEvents(options: FollowOptions): Following {
  const { events, prefixes, maxBatch, start, handle, subject, logger } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const backoff = new RetryBackoff(subject, logger, signal);
  const progressed = (): void => backoff.succeeded();
  const started = deferred();
  const caughtUp = deferred();
  let position: Position | undefined;
  let subscription: Subscription | undefined;

  const follow = async (after: Position): Promise<void> => {
    if (signal.aborted) return;
    subscription = events.subscribe({
      ...{ after, prefixes, ...(maxBatch !== undefined && { maxBatch }) },
      handle: async (batch) => {
        await handle(batch, signal, progressed);
        if (signal.aborted) return;
        position = batch.position;
        progressed();
      },
    });
    subscription.caughtUp.then(caughtUp.resolve, caughtUp.reject);
    await subscription.stopped;
  };

  const live = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (position === undefined) {
          position = await start();
          progressed();
          started.resolve();
        }
        await follow(position);
      } catch (error) {
        await backoff.failed(error);
      }
    }
    started.resolve();
    caughtUp.resolve();
  };
  const ended = live();

  return {
    get fault() {
      return backoff.fault;
    },
    started: started.promise,
    caughtUp: caughtUp.promise,
    close: async () => {
      closing.abort();
      await subscription?.close();
      await ended;
    },
  };
}
