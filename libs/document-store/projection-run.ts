import { START, type EventBatch, type EventStore, type Position, type Subscription } from '@sluice/event-store';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Checkpoint, ProjectionTarget } from './port';
import type { Projection } from './projection';
import { RowBuffer } from './row-buffer';

/** So many changed rows wait at most while a commit is under way. */
const CHANGES_PER_COMMIT = 1024;
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

/** `apply` threw: the projection stands before this event. */
export class UnappliedEventError extends Error {
  constructor(event: { readonly type: string; readonly id: string; readonly stream: string }, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`It stands before the event ${event.type} ${event.id} of stream ${event.stream}: ${reason}`, { cause });
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
  /** Commits what was applied and stores the checkpoint where it stands. */
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
  readonly checkpoint: Checkpoint | undefined;
  /** Told after each commit and whenever the position moves. */
  readonly advanced: (position: Position) => void;
}

/**
 * Applies events to one target from its checkpoint on, until closed or failed. Events are applied
 * in memory while the commit of those before them is under way.
 */
export function runProjection(options: ProjectionRunOptions): ProjectionRun {
  const { events, target, projection, store, advanced } = options;
  const buffer = new RowBuffer(target, projection, options.checkpoint?.position ?? START);
  let stored = options.checkpoint;
  let storedAt = performance.now();
  let position = buffer.position;
  let turn = performance.now();
  let committing: Promise<void> | undefined;
  let underWay: Promise<void> | undefined;
  let storing = false;
  let failure: Error | undefined;
  let end: () => void = () => undefined;
  let endWith: (error: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    endWith = reject;
  });
  ended.catch(() => undefined);

  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    endWith(failure);
    void subscription.close().catch(() => undefined);
  };

  const moveTo = (reached: Position): void => {
    if (reached <= position) return;
    position = reached;
    advanced(reached);
  };

  const commitOnce = async (): Promise<void> => {
    const next: Checkpoint = { position: buffer.position, store, version: projection.version };
    const writes = buffer.take();
    if (!(await target.commit(stored, next, writes))) throw new OvertakenError(projection.name);
    buffer.committed();
    stored = next;
    storedAt = performance.now();
    moveTo(next.position);
  };

  const mustCommit = (): boolean =>
    buffer.changes > 0 ||
    (stored?.position !== buffer.position && (storing || performance.now() - storedAt > IDLE_CHECKPOINT_MS));

  /** One commit at a time, until nothing is left to commit. */
  const commitAll = async (): Promise<void> => {
    try {
      while (mustCommit()) await (underWay = commitOnce());
      moveTo(buffer.position);
    } catch (error) {
      // At once: what was taken for this commit is lost to this run.
      fail(error);
      throw error;
    } finally {
      committing = undefined;
    }
  };

  const commit = (): Promise<void> => {
    if (failure) return Promise.reject(failure);
    if (committing) return committing;
    if (mustCommit()) return (committing = commitAll());
    moveTo(buffer.position);
    return Promise.resolve();
  };

  const handle = async (batch: EventBatch): Promise<void> => {
    for (const event of batch.events) {
      if (failure) throw failure;
      try {
        await buffer.apply(event);
      } catch (error) {
        await commit();
        throw new UnappliedEventError(event, error);
      }
      if (performance.now() - turn > TURN_MS) {
        await nextTurn();
        turn = performance.now();
      }
    }
    if (batch.position > buffer.position) buffer.position = batch.position;
    commit().catch(() => undefined);
    while (buffer.changes >= CHANGES_PER_COMMIT && committing) await underWay;
  };

  const subscription: Subscription = events.subscribe({
    after: buffer.position,
    prefixes: projection.prefixes,
    handle,
  });
  subscription.stopped.catch(fail);

  const caughtUp = subscription.caughtUp.then(commit);
  caughtUp.catch(() => undefined);

  const flush = async (): Promise<void> => {
    storing = true;
    try {
      await commit();
    } finally {
      storing = false;
    }
  };

  return {
    get position() {
      return position;
    },
    caughtUp,
    ended,
    flush,
    close: async () => {
      await subscription.close();
      if (!failure) await flush();
      end();
    },
  };
}
