import type { ProjectionStatus, ProjectionTask } from '@sluice/contracts';
import { rebuildProjection, verifyProjection, type Projection, type Projections } from '@sluice/projections';
import { type Collection, type DocumentStore, type Row } from '@sluice/document-store';
import { START, type EventStore } from '@sluice/event-store';
import { DomainError, type Clock, type Logger } from '@sluice/kernel';

type Task = Omit<ProjectionTask, 'status'> & { readonly status: Exclude<ProjectionTask['status'], 'interrupted'> };

interface TaskRow extends Row {
  readonly task: Task;
  /** ISO 8601. */
  readonly seenAt: string;
}

/** In the state store, so that every process of the service can return it. */
const TASKS: Collection<TaskRow> = { name: 'projectionTasks', indexes: [] };
const SEEN_EVERY_MS = 1_000;
/** A running task whose row was not updated for this long has lost its process. */
const LOST_AFTER_MS = 15_000;

export interface ProjectionTasksOptions {
  readonly service: string;
  readonly events: EventStore;
  readonly readStore: DocumentStore;
  readonly stateStore: DocumentStore;
  readonly projections: readonly Projection[];
  readonly running: Pick<Projections, 'status'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Rebuilds and verifies the projections of one service while it serves requests. */
export class ProjectionTasks {
  readonly #stopping = new AbortController();

  constructor(private readonly options: ProjectionTasksOptions) {}

  list(): Promise<ProjectionStatus[]> {
    return Promise.all(this.options.projections.map((projection) => this.#statusOf(projection)));
  }

  /**
   * Resolves once the task is stored. The task then runs in the background.
   * @throws DomainError PROJECTION_NOT_FOUND, PROJECTION_BUSY
   */
  async start(kind: Task['kind'], name: string): Promise<ProjectionStatus> {
    const { stateStore, projections, clock } = this.options;
    const projection = projections.find((candidate) => candidate.name === name);
    if (projection === undefined) throw new DomainError('PROJECTION_NOT_FOUND', 'There is no such projection.');
    const rows = stateStore.rows(TASKS);
    const before = await rows.getVersioned(name);
    const task: Task = {
      ...{ kind, status: 'running', started_at: clock.now().toISOString(), finished_at: null },
      ...{ position: START, error: null, verification: null },
    };
    const busy = before !== undefined && this.#taskOf(before.row).status === 'running';
    if (busy || (await rows.put(this.#row(name, task), before?.version ?? 'absent')) === undefined) {
      throw new DomainError('PROJECTION_BUSY', `The projection ${name} is being rebuilt or verified.`);
    }
    void this.#carryOut(projection, task);
    return this.#statusOf(projection);
  }

  /** Aborts the running task. Live rows stay unchanged. */
  stop(): void {
    this.#stopping.abort();
  }

  async #carryOut(projection: Projection, started: Task): Promise<void> {
    const { events, readStore: documents, clock, logger } = this.options;
    const { signal } = this.#stopping;
    let position = started.position;
    const advanced = (reached: string): void => void (position = reached);
    let writing = Promise.resolve();
    const write = (task: Task): Promise<void> => {
      writing = writing
        .then(() => this.options.stateStore.rows(TASKS).put(this.#row(projection.name, task)))
        .then(() => undefined)
        .catch((error: unknown) =>
          logger.error({ err: error }, `The progress of the task of projection "${projection.name}" was not stored`),
        );
      return writing;
    };
    const timer = setInterval(() => void write({ ...started, position }), SEEN_EVERY_MS);
    let ended: Partial<Task>;
    try {
      if (started.kind === 'rebuild') {
        await rebuildProjection({ events, documents, projection, signal, advanced });
        ended = { status: 'completed' };
      } else {
        const { differences, ...verification } = await verifyProjection({ events, documents, projection, advanced });
        const shown = differences.map((difference) => ({ ...difference, members: [...difference.members] }));
        ended = { status: 'completed', verification: { ...verification, differences: shown } };
      }
    } catch (error) {
      logger.error({ err: error }, `The ${started.kind} of projection "${projection.name}" failed`);
      ended = { status: 'failed', error: error instanceof Error ? error.message : String(error) };
    } finally {
      clearInterval(timer);
    }
    // A stopping process leaves the task as interrupted, because the stop ended it.
    if (!signal.aborted) await write({ ...started, position, ...ended, finished_at: clock.now().toISOString() });
  }

  async #statusOf({ name, version }: Projection): Promise<ProjectionStatus> {
    const { service, stateStore, running } = this.options;
    const status = running.status().get(name);
    const row = await stateStore.rows(TASKS).get(name);
    return {
      name,
      service,
      version,
      position: status?.position ?? START,
      caught_up: status?.caughtUp ?? false,
      stopped: status?.stopped ?? null,
      task: row === undefined ? null : this.#taskOf(row),
    };
  }

  #taskOf({ task, seenAt }: TaskRow): ProjectionTask {
    const lost = this.options.clock.now().getTime() - Date.parse(seenAt) > LOST_AFTER_MS;
    return task.status === 'running' && lost ? { ...task, status: 'interrupted' } : task;
  }

  #row(name: string, task: Task): TaskRow {
    return { id: name, task, seenAt: this.options.clock.now().toISOString() };
  }
}
