import { START, type EventBatch, type EventStore, type Position, type Subscription } from '@sluice/event-store';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deferred } from '@sluice/kernel';
import type { Checkpoint, ProjectionTarget } from '@sluice/document-store';
import type { Projection } from './projection';
import { RowBuffer } from './row-buffer';

/** While commits are under way, so many changed rows make the next one. */
const CHANGES_PER_COMMIT = 512;
/** Given to the engine before the first of them has ended: it may write them together. */
const COMMITS_UNDER_WAY = 8;
/** A stretch of work that takes longer lets others of this thread run. */
const TURN_MS = 1;
/** A checkpoint that moved without any row changing is stored this often. */
const IDLE_CHECKPOINT_MS = 10_000;

/** Someone else committed to the target: what this run knows of the rows may be wrong. */
export class OvertakenError extends Error {
  constructor(projection: string) {
    super(`Another process went ahead with projection "${projection}".`);
    this.name = 'OvertakenError';
  }
}

/** `apply` threw: the projection stopped before this event. */
export class UnappliedEventError extends Error {
  constructor(event: { readonly type: string; readonly id: string; readonly stream: string }, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`It stopped before the event ${event.type} ${event.id} of stream ${event.stream}: ${reason}`, { cause });
    this.name = 'UnappliedEventError';
  }
}

export interface ProjectionRun {
  /** Committed up to here. */
  readonly position: Position;
  /** Resolves once what the event store held at the start is committed. */
  readonly caughtUp: Promise<void>;
  /** Resolves after close(). @throws OvertakenError, UnappliedEventError or the engine's own fault */
  readonly ended: Promise<void>;
  /** Commits what was applied and stores its checkpoint. */
  flush(): Promise<void>;
  /** Flushes, unless the run has failed. */
  close(): Promise<void>;
}

export interface ProjectionRunOptions {
  readonly events: EventStore;
  readonly target: ProjectionTarget;
  readonly projection: Projection;
  /** EventStore.identity(). */
  readonly store: string;
  /** The position of the target. */
  readonly checkpoint: Checkpoint | undefined;
  /** Told after each commit and whenever the position moves. */
  readonly advanced: (position: Position) => void;
  /** Told of events before they are applied; answers whom to tell once their rows are committed. */
  readonly observe?: ObserveEvents;
}

export type ObserveEvents = (events: EventBatch['events']) => () => void;

/**
 * Applies events to one target from its checkpoint on, until closed or failed. Events are applied
 * in memory while the commit of those before them is under way.
 */
export function runProjection(options: ProjectionRunOptions): ProjectionRun {
  const { events, target, projection, store, advanced, observe } = options;
  const buffer = new RowBuffer(target, projection, options.checkpoint?.position ?? START);
  /** Of the last commit that the engine was given. */
  let checkpoint = options.checkpoint;
  let checkpointAt = performance.now();
  let position = buffer.position;
  let turn = performance.now();
  const underWay: Promise<void>[] = [];
  /** Of the events that were applied since the last commit. */
  let observers: (() => void)[] = [];
  let failure: Error | undefined;
  const ended = deferred();

  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    ended.reject(failure);
    void subscription.close().catch(() => undefined);
  };

  const moveTo = (reached: Position): void => {
    if (reached <= position) return;
    position = reached;
    advanced(reached);
  };

  const commitNow = (): void => {
    const expected = checkpoint;
    const next: Checkpoint = { position: buffer.position, store, version: projection.version };
    const writes = buffer.take();
    const told = observers;
    observers = [];
    checkpoint = next;
    checkpointAt = performance.now();
    const committed = target.commit(expected, next, writes).then((done) => {
      if (!done) throw new OvertakenError(projection.name);
      void underWay.shift();
      buffer.committed(writes);
      for (const committed of told) committed();
      moveTo(next.position);
      commit();
    });
    committed.catch(fail);
    underWay.push(committed);
  };

  /** Leaves small changes until the commits under way have ended, which starts it again. */
  const commit = (): void => {
    const idle = underWay.length === 0;
    const overdue = checkpoint?.position !== buffer.position && performance.now() - checkpointAt > IDLE_CHECKPOINT_MS;
    if (failure) return;
    if (idle ? buffer.changes > 0 || overdue : roomForCommit()) commitNow();
    else if (idle) {
      for (const applied of observers.splice(0)) applied();
      moveTo(buffer.position);
    }
  };
  const roomForCommit = (): boolean => buffer.changes >= CHANGES_PER_COMMIT && underWay.length < COMMITS_UNDER_WAY;

  const flush = async (): Promise<void> => {
    if (!failure && (buffer.changes > 0 || checkpoint?.position !== buffer.position)) commitNow();
    await Promise.all(underWay);
    if (failure) throw failure;
  };

  const handle = async (batch: EventBatch): Promise<void> => {
    if (observe !== undefined && batch.events.length > 0) observers.push(observe(batch.events));
    for (const event of batch.events) {
      if (failure) throw failure;
      try {
        await buffer.apply(event);
      } catch (error) {
        await flush();
        throw new UnappliedEventError(event, error);
      }
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
      }
    }
    if (batch.position > buffer.position) buffer.position = batch.position;
    commit();
    while (buffer.changes >= CHANGES_PER_COMMIT) {
      await underWay[0];
      commit();
    }
  };

  const subscription: Subscription = events.subscribe({
    after: buffer.position,
    prefixes: projection.prefixes,
    handle,
  });
  subscription.stopped.catch(fail);

  const caughtUp = subscription.caughtUp.then(flush);
  caughtUp.catch(() => undefined);

  return {
    get position() {
      return position;
    },
    caughtUp,
    ended: ended.promise,
    flush,
    close: async () => {
      await subscription.close();
      if (!failure) await flush();
      ended.resolve();
    },
  };
}
