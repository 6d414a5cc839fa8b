import type { DomainEvent } from '@sluice/kernel';
import type { Recorded } from '@sluice/event-store';
import type { AnyCollection, Collection, Row, Where } from '@sluice/document-store';

/**
 * The rows that one event may change. Every change of a row may depend on that row and the event
 * alone: this is what makes a repeated event harmless on an engine without transactions. A row
 * that this event (handled before) or a later event wrote is up to date, and is not changed
 * again.
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
