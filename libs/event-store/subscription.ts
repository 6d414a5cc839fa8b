import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from '@sluice/kernel';
import type { EventBatch, EventStore, Position, SubscribeOptions, Subscription } from './port';

/** What an engine gives, so that a subscription on it keeps the port's promises. */
export interface SubscriptionSource {
  /** Position of the last event of any stream. */
  readonly head: () => Promise<Position>;
  /**
   * Batches from `after` on (exclusive), catch-up and then live without a gap, until the signal
   * aborts. Positions never go back, and reach the head also when nothing matches. It is asked for
   * the next batch once the last one was handled. May throw at any time: it is then started again
   * behind the last handled batch.
   */
  readonly batches: (after: Position, signal: AbortSignal) => AsyncIterable<EventBatch>;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;

/** Runs one subscription over an engine's source: one batch at a time, until a handler fails or it is closed. */
export function runSubscription(
  { head, batches }: SubscriptionSource,
  { after, handle }: Pick<SubscribeOptions, 'after' | 'handle'>,
): Subscription {
  const closing = new AbortController();
  const { signal } = closing;
  const caughtUp = deferred();
  let position = after;
  let target: Position | undefined;
  const noteProgress = () => {
    if (target !== undefined && position >= target) caughtUp.resolve();
  };

  /** Repeats what the engine failed at, with growing delays, until the signal aborts. */
  const persist = async (attempt: (progressed: () => void) => Promise<void>) => {
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        await attempt(() => (retryMs = FIRST_RETRY_MS));
        return;
      } catch {
        const wait = retryMs * (0.5 + Math.random() / 2);
        await delay(wait, undefined, { signal, ref: false }).catch(() => undefined);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
      }
    }
  };

  const findTarget = persist(async () => {
    target = await head();
    noteProgress();
  });

  let failed: Promise<void> | undefined;
  const deliver = persist(async (progressed) => {
    for await (const batch of batches(position, signal)) {
      const handled = Promise.resolve(batch).then(handle);
      try {
        await handled;
      } catch {
        failed = handled;
        return;
      }
      position = batch.position;
      progressed();
      noteProgress();
      if (signal.aborted) return;
    }
  });

  const stopped = deliver.then(() => failed).finally(() => closing.abort());
  // Callers that await these see the failure, and need not.
  stopped.catch(caughtUp.reject);

  return {
    get position() {
      return position;
    },
    caughtUp: caughtUp.promise,
    stopped,
    async close() {
      closing.abort();
      await Promise.all([findTarget, stopped.catch(() => undefined)]);
    },
  };
}

/** Events of one batch, at most, where a subscriber names no number. */
export const DEFAULT_BATCH = 256;

export interface SubscriptionsOptions {
  readonly head: () => Promise<Position>;
  /** Batches of events in streams with these prefixes: see `SubscriptionSource`. */
  readonly follow: (
    prefixes: readonly string[],
    maxBatch: number,
    after: Position,
    signal: AbortSignal,
  ) => AsyncIterable<EventBatch>;
}

/** The subscriptions of one store, which it closes together. */
export function openSubscriptions({ head, follow }: SubscriptionsOptions): Pick<EventStore, 'subscribe' | 'close'> {
  const open = new Set<Subscription>();
  return {
    subscribe({ after, prefixes, handle, maxBatch = DEFAULT_BATCH }) {
      const batches = (from: Position, signal: AbortSignal) => follow(prefixes, maxBatch, from, signal);
      const subscription = runSubscription({ head, batches }, { after, handle });
      open.add(subscription);
      const forget = () => open.delete(subscription);
      subscription.stopped.then(forget, forget);
      return subscription;
    },
    async close() {
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };
}
