import { UnavailableError, type Logger } from '@sluice/kernel';
import type { EventStore, Position } from '@sluice/event-store';
import type { DocumentStore } from '@sluice/document-store';
import type { Projection } from './projection';
import type { ObserveEvents } from './projection-run';
import { ProjectionRunner } from './projection-runner';

/** The projections that one process runs, and the ways to wait for them. */
export interface Projections {
  /**
   * Opens the targets, rebuilds what has to be rebuilt and resumes from the checkpoints. Resolves
   * once that is under way; what fails is logged and tried again.
   */
  start(): Promise<void>;
  /** Resolves once each projection has handled what the event store held at the start. */
  readonly caughtUp: Promise<void>;
  /** Likewise, but does not wait for one that has stopped before that, for whatever reason, or was closed. */
  readonly caughtUpOrStopped: Promise<void>;
  /**
   * Waits until every projection that reads this stream has applied the position, at most
   * READ_YOUR_WRITES_MS; then it resolves anyway.
   */
  visible(stream: string, position: Position): Promise<void>;
  /**
   * Reads by `read`; on a miss notes the event store's head, waits until the projection has looked
   * at it and reads once more. @throws UnavailableError when the projection stays short of it
   */
  find<T>(projection: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
  /**
   * Resolves once the projection has applied all that these streams hold now.
   * @throws UnavailableError when it stays short of it
   */
  applied(projection: string, streams: readonly string[]): Promise<void>;
  /** For metrics and health: by projection, its position and why it stopped, if it did. */
  status(): ReadonlyMap<string, { readonly position: Position; readonly caughtUp: boolean; readonly stopped?: string }>;
  /** Commits what was applied. */
  close(): Promise<void>;
}

export interface ProjectionsOptions {
  readonly events: EventStore;
  /** The read store. */
  readonly documents: DocumentStore;
  readonly projections: readonly Projection[];
  /** READ_YOUR_WRITES_MS. */
  readonly waitMs: number;
  /** Receives a line when a projection stops and why, and when it continues. */
  readonly logger: Logger;
  /** Told of the events that a projection applies, and of their commit. */
  readonly observe?: (projection: string) => ObserveEvents;
}

/** Injection token of Projections. */
export const PROJECTIONS = Symbol('Projections');

export function createProjections({ projections, waitMs, observe, ...shared }: ProjectionsOptions): Projections {
  const runners = new Map(
    projections.map((projection) => [
      projection.name,
      new ProjectionRunner({ ...shared, projection, ...(observe && { observe: observe(projection.name) }) }),
    ]),
  );
  const runnersOf = (stream: string): ProjectionRunner[] =>
    projections
      .filter(({ prefixes }) => prefixes.some((prefix) => stream.startsWith(prefix)))
      .flatMap(({ name }) => runners.get(name) ?? []);

  const runnerOf = (projection: string): ProjectionRunner => {
    const runner = runners.get(projection);
    if (!runner) throw new TypeError(`This process runs no projection "${projection}".`);
    return runner;
  };

  return {
    start: async () => {
      await Promise.all([...runners.values()].map((runner) => runner.start()));
    },

    caughtUp: Promise.all([...runners.values()].map((runner) => runner.caughtUp)).then(() => undefined),
    caughtUpOrStopped: Promise.all([...runners.values()].map((runner) => runner.caughtUpOrStopped)).then(
      () => undefined,
    ),

    visible: async (stream, position) => {
      await Promise.all(runnersOf(stream).map((runner) => runner.position.reached(position, waitMs)));
    },

    find: async (projection, read) => {
      const runner = runnerOf(projection);
      const found = await read();
      if (found !== undefined) return found;
      const head = await shared.events.head().catch((error: unknown) => {
        throw new UnavailableError(`Whether it exists is not known now: ${(error as Error).message}`);
      });
      if (!(await runner.position.reached(head, waitMs))) {
        throw new UnavailableError('Whether it exists is not known yet: the read model is behind the events.');
      }
      return read();
    },

    applied: async (projection, streams) => {
      const runner = runnerOf(projection);
      const applied = streams.map(async (stream) => {
        for await (const { position } of shared.events.readStream(stream, { direction: 'backwards', limit: 1 })) {
          return runner.position.reached(position, waitMs);
        }
        return true;
      });
      if ((await Promise.all(applied)).includes(false)) {
        throw new UnavailableError('The read model is behind the events.');
      }
    },

    status: () =>
      new Map(
        [...runners].map(([name, { position, isCaughtUp, stopped }]) => [
          name,
          { position: position.value, caughtUp: isCaughtUp, ...(stopped !== undefined && { stopped }) },
        ]),
      ),

    close: async () => {
      await Promise.all([...runners.values()].map((runner) => runner.close()));
    },
  };
}
