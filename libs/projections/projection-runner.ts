import { type EventStore, pause, type Position, RetryBackoff, START } from '@sluice/event-store';
import type { Checkpoint, DocumentStore, ProjectionTarget } from '@sluice/document-store';
import { deferred, type Logger } from '@sluice/kernel';
import { PositionTracker } from './positions';
import type { Projection } from './projection';
import { OvertakenError, runProjection, type ObserveEvents, type ProjectionRun } from './projection-run';
import { rebuildProjection } from './rebuild';

export interface ProjectionRunnerOptions {
  readonly events: EventStore;
  readonly documents: DocumentStore;
  readonly projection: Projection;
  /** Receives a line when the projection stops and why, and when it continues. */
  readonly logger: Logger;
  readonly observe?: ObserveEvents;
}

/** While another process commits, read its position this often. */
const FOLLOW_MS = 25;
/** It committed nothing for so long: take part again. */
const FOLLOW_QUIET_MS = 200;

/**
 * Keeps one projection's live generation up to date, whatever happens: an unavailable engine, an
 * event that can't be applied yet, another process that does the same, a rebuild that swaps the
 * rows.
 */
export class ProjectionRunner {
  /** Readers see every event up to here. */
  readonly position = new PositionTracker(START);
  readonly #caughtUp = deferred();
  readonly #stopped = deferred();
  readonly #opened = deferred();
  readonly caughtUp = this.#caughtUp.promise;
  /** Resolves when it has caught up, and also when it stops before that or is closed. */
  readonly caughtUpOrStopped = Promise.race([this.caughtUp, this.#stopped.promise]);
  readonly #closing = new AbortController();
  readonly #backoff: RetryBackoff;
  #isCaughtUp = false;
  #headAtStart: Position | undefined;
  #hasRun = false;
  #run: ProjectionRun | undefined;
  #ended: Promise<void> | undefined;

  constructor(private readonly options: ProjectionRunnerOptions) {
    this.#backoff = new RetryBackoff(`Projection "${options.projection.name}"`, options.logger, this.#closing.signal);
  }

  get isCaughtUp(): boolean {
    return this.#isCaughtUp;
  }

  /** Why the projection has stopped. */
  get stopped(): string | undefined {
    return this.#backoff.fault;
  }

  /** Resolves once the first attempt to open the rows has succeeded or failed. */
  start(): Promise<void> {
    this.#ended = this.#live();
    return this.#opened.promise;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    // What could not be committed is applied again at the next start.
    await this.#run?.close().catch(() => undefined);
    await this.#ended;
  }

  async #live(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#goOn();
      } catch (error) {
        this.#opened.resolve();
        this.#stopped.resolve();
        await this.#backoff.failed(error);
      }
    }
    this.#opened.resolve();
    this.#stopped.resolve();
  }

  async #goOn(): Promise<void> {
    const { events, documents, projection, observe } = this.options;
    const store = await events.identity();
    const target = await documents.liveTarget(projection);
    const checkpoint = await target.checkpoint();
    const head = await events.head();
    this.#headAtStart ??= head;
    if (checkpoint && checkpoint.version !== projection.version) {
      this.#opened.resolve();
      return this.#rebuild(checkpoint);
    }
    if (checkpoint) refuseForeign(checkpoint, store, head);
    if (this.#closing.signal.aborted) return;

    this.#hasRun = true;
    this.#moveTo(checkpoint?.position ?? START);
    const run = runProjection({
      ...{ events, target, projection, store, checkpoint, ...(observe && { observe }) },
      advanced: (position) => {
        if (position > this.position.value) this.#backoff.succeeded();
        this.#moveTo(position);
      },
    });
    run.caughtUp.then(
      () => this.#backoff.succeeded(),
      () => undefined,
    );
    this.#run = run;
    this.#opened.resolve();
    try {
      await run.ended;
    } catch (error) {
      if (!(error instanceof OvertakenError)) throw error;
      await this.#follow(target);
    } finally {
      this.#run = undefined;
    }
  }

  /** Rows of another version: rebuilt next to those that readers see meanwhile. */
  async #rebuild({ version }: Checkpoint): Promise<void> {
    const { projection, logger } = this.options;
    if (this.#hasRun) {
      throw new Error(
        `Its rows were rebuilt as version ${version} by another release; this one makes version ${projection.version}.`,
      );
    }
    logger.warn(
      `Projection "${projection.name}" is rebuilt: its rows are of version ${version}, not ${projection.version}.`,
    );
    await rebuildProjection({
      ...this.options,
      unless: (live) => live?.version === projection.version,
      signal: this.#closing.signal,
    });
  }

  /** Lets the process that went ahead lead, while it does. */
  async #follow(target: ProjectionTarget): Promise<void> {
    const { signal } = this.#closing;
    const quietMs = FOLLOW_QUIET_MS * (1 + Math.random());
    let movedAt = performance.now();
    while (!signal.aborted && performance.now() - movedAt < quietMs) {
      await pause(FOLLOW_MS, signal);
      const checkpoint = await target.checkpoint();
      if (!checkpoint) return;
      if (checkpoint.position > this.position.value) {
        movedAt = performance.now();
        this.#moveTo(checkpoint.position);
      }
    }
  }

  #moveTo(position: Position): void {
    this.position.moveTo(position);
    if (this.#isCaughtUp || this.#headAtStart === undefined || this.position.value < this.#headAtStart) return;
    this.#isCaughtUp = true;
    this.#caughtUp.resolve();
  }
}

/** @throws Error when the rows were made from another event store than this one */
function refuseForeign(checkpoint: Checkpoint, store: string, head: Position): void {
  const remedy =
    'Rebuild it: sluice projections rebuild; if the process does not get past its start, delete the read store.';
  if (checkpoint.store !== store) {
    throw new Error(`Its rows were made from another event store (${checkpoint.store}, not ${store}). ${remedy}`);
  }
  if (checkpoint.position > head) {
    throw new Error(
      `Its rows stand at ${checkpoint.position}, but the event store ends at ${head || 'its start'}: it was put back to an earlier state. ${remedy}`,
    );
  }
}
