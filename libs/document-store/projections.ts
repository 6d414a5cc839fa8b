import type { DomainEvent } from '@sluice/kernel';
import type { EventStore, Position, Recorded } from '@sluice/event-store';
import type { AnyCollection, Collection, DocumentStore, Row, Where } from './port';

/**
 * The rows that one event may change. Every change of a row may depend on that row and the event
 * alone: this is what makes a repeated event harmless on an engine without transactions. A row
 * that this event or a later one wrote already reads as it stands and is not changed again.
 */
export interface ProjectedRows {
  put<R extends Row>(collection: Collection<R>, row: R): void;
  /** Does nothing when there is no such row; a change to undefined deletes it. */
  update<R extends Row>(collection: Collection<R>, id: string, change: (row: R) => R | undefined): Promise<void>;
  delete(collection: AnyCollection, id: string): void;
  deleteWhere<R extends Row>(collection: Collection<R>, where: Where<R>): Promise<void>;
}

/** Events in, read-model rows out. */
export interface Projection<Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  /** Raise it when the rows' meaning changes: the rows are then rebuilt at the next start. */
  readonly version: number;
  readonly prefixes: readonly string[];
  readonly collections: readonly AnyCollection[];
  /** Throws UnknownEventError for a type that it does not know: the projection stops before it. */
  apply(event: Recorded<Event>, rows: ProjectedRows): void | Promise<void>;
}

export interface ProjectionRunnerOptions {
  readonly events: EventStore;
  readonly documents: DocumentStore;
  readonly projection: Projection;
  /** Told when the projection stops and why, and when it goes on. */
  readonly report: (message: string, error?: unknown) => void;
}

/** The projections that one process runs, and the ways to wait for them. */
export interface Projections {
  /** Opens the targets, rebuilds what has to be rebuilt and goes on from the checkpoints. */
  start(): Promise<void>;
  /** Resolves once each projection has handled what the event store held at the start. */
  readonly caughtUp: Promise<void>;
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
  /** For metrics and health: by projection, where it stands and why it stopped, if it did. */
  status(): ReadonlyMap<string, { readonly position: Position; readonly caughtUp: boolean; readonly stopped?: string }>;
  close(): Promise<void>;
}

export interface ProjectionsOptions extends Omit<ProjectionRunnerOptions, 'projection'> {
  readonly projections: readonly Projection[];
  /** READ_YOUR_WRITES_MS. */
  readonly waitMs: number;
}

/** Injection token of Projections. */
export const PROJECTIONS = Symbol('Projections');

/**
 * Events in, commands out. Its checkpoint stands in the state store and is never rebuilt, so each
 * event is handled at least once and, but for a crash, once.
 */
export interface ProcessManager<Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  readonly prefixes: readonly string[];
  /** Commands that it gives carry ids made from the event's id and the step. Rejecting: tried again, with growing delays, before anything past this event. */
  react(event: Recorded<Event>): Promise<void>;
}

export interface RunningProcess {
  readonly position: Position;
  close(): Promise<void>;
}

export interface ProcessManagerOptions {
  readonly events: EventStore;
  /** The state store: keeps the checkpoint. */
  readonly state: DocumentStore;
  readonly process: ProcessManager;
  readonly report: (message: string, error?: unknown) => void;
}
