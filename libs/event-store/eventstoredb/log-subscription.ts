import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type Filter,
  streamNameFilter,
} from '@eventstore/db-client';
import type { EventBatch, Position, RecordedEvent } from '../port';
import type { Connection } from './connection';
import { unavailable } from './driver-errors';
import { fromPosition, toPosition } from './positions';
import { toLogRecord } from './reads';

export interface LogSubscriptionOptions {
  /** Exclusive. */
  readonly after: Position;
  readonly maxBatch: number;
  readonly signal: AbortSignal;
  /**
   * The server selects streams by the beginning of their names, and the subscription ends once it has caught
   * up, with what its node has. That may be less than `goal`, a position of the log's past; it reports no
   * position beyond. Undefined: all of the log, without end.
   */
  readonly selected?: { readonly prefixes: readonly string[]; readonly goal: Position };
}

/** So many records that don't match are looked at between two checkpoints. */
const SEARCH_WINDOW = 1_000;

/**
 * One subscription of the driver, as batches: what has arrived while the one before was handled.
 * Ends with the signal. @throws EventStoreUnavailableError when the server ended it, dropped it as
 * too slow, or the connection was lost: it is to be begun again behind the last handled batch.
 */
export async function* subscribeToLog(
  { client, call }: Connection,
  { after, maxBatch, signal, selected }: LogSubscriptionOptions,
): AsyncGenerator<EventBatch> {
  let events: RecordedEvent[] = [];
  let position = after;
  const reached: { caughtUp: boolean; end?: { readonly error?: unknown } } = { caughtUp: false };
  let changed: () => void = () => undefined;
  const moveTo = (further: Position) => {
    if (further > position) position = further;
    changed();
  };
  const end = (error?: unknown) => {
    reached.end ??= { error };
    changed();
  };

  const checkpoint = (looked: Position) => {
    // One that was looked past may still wait to be taken in: the checkpoint after it will do.
    if (!selected || reached.caughtUp || subscription.readableLength > 0) return;
    // Never past what is known to exist, wherever the server has looked.
    moveTo(looked < selected.goal ? looked : selected.goal);
  };
  const subscription = client.subscribeToAll({
    ...call,
    fromPosition: fromPosition(after),
    ...(selected && { filter: filterOf(selected.prefixes, checkpoint) }),
  });
  const receive = (resolved: AllStreamResolvedEvent) => {
    const record = toLogRecord(resolved);
    // Behind the very first record the server begins at the start.
    if (!record || record.position <= position) return;
    if (record.event) events.push(record.event);
    if (events.length >= maxBatch) subscription.pause();
    moveTo(record.position);
  };
  // Listens instead of iterating, which costs several turns of promises for every event. The listener of errors
  // stays: a cancelled call may fail after its caller stopped waiting.
  subscription.on('error', end).on('end', end).on('close', end).on('data', receive);
  subscription.once('caughtUp', () => {
    if (!selected) return;
    reached.caughtUp = true;
    changed();
  });
  const stop = () => {
    subscription.destroy();
    changed();
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();

  try {
    for (let delivered = after; !signal.aborted;) {
      if (position > delivered) {
        // What this turn of the event loop brings: no reader waits for a single event of the past.
        if (selected && events.length < maxBatch) await nextTurn();
        const batch = { events, position };
        events = [];
        delivered = position;
        subscription.resume();
        yield batch;
      } else if (subscription.readableLength > 0 && !reached.end) {
        await nextTurn();
      } else if (reached.caughtUp) {
        return;
      } else if (reached.end) {
        throw unavailable(reached.end.error ?? new Error('The subscription ended.'));
      } else {
        await new Promise<void>((resolve) => (changed = resolve));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw unavailable(error);
  } finally {
    signal.removeEventListener('abort', stop);
    subscription.off('data', receive);
    endOf(subscription);
  }
}

/** A callback that throws would stall the subscription without a word; this one can't. */
function filterOf(prefixes: readonly string[], checkpoint: (position: Position) => void): Filter {
  const options = {
    maxSearchWindow: SEARCH_WINDOW,
    checkpointInterval: 1,
    checkpointReached: (_: AllStreamSubscription, reached: Parameters<typeof toPosition>[0]) =>
      checkpoint(toPosition(reached)),
  };
  return prefixes.includes('')
    ? streamNameFilter({ ...options, regex: '^[^$]' })
    : streamNameFilter({ ...options, prefixes: [...prefixes] });
}

/** Leaving a loop over a subscription ends the iteration, not the call. */
function endOf(subscription: AllStreamSubscription): void {
  subscription.destroy();
  subscription.unsubscribe().catch(() => undefined);
}
