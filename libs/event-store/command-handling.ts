import type { Clock, Decider, DomainEvent } from '@sluice/kernel';
import type { EventStore, Position, Recorded, Revision } from './port';

/** Names one command and who gave it; stands in the metadata of every event that it causes. */
export interface CommandContext {
  /** The same id again, within 24 hours, on the same stream, is a repeat. */
  readonly commandId: string;
  readonly actor: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly traceparent?: string;
  readonly bodyHash?: string;
}

export interface HandleOptions {
  /** Conflicts are retried from the load until this is spent. Default 5,000 ms. */
  readonly budgetMs?: number;
  /** False: do not wait until the readers have seen the events. For process managers and workers. */
  readonly visible?: boolean;
}

export interface Handled<State, Event extends DomainEvent> {
  /** After the command. For a repeat: as it stands now. */
  readonly state: State;
  /** What this command caused; for a repeat, what it caused the first time. */
  readonly events: readonly Recorded<Event>[];
  readonly revision: Revision | 'none';
  /** Of the stream's last event; START for an empty stream. */
  readonly position: Position;
  readonly repeated: boolean;
}

export interface CommandHandlingOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Waits until whoever answers from this stream has applied the position. Default: nobody does. */
  readonly visible?: (stream: string, position: Position) => Promise<void>;
  /** Streams whose state stays in memory. Default 10,000. */
  readonly cachedStreams?: number;
}

export interface CommandHandling {
  /**
   * Loads the stream, decides, appends with the revision that was read, and waits until readers
   * have seen it. Commands on one stream queue within the process; a conflict with another process
   * is retried from the load. A repeated command id appends nothing. Event ids are made from
   * command id, stream and index.
   *
   * @throws what `decide` throws; UnavailableError when the store is away, the outcome stays
   *   unknown, the budget is spent or a newer release wrote to the stream
   */
  handle<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    command: Command,
    context: CommandContext,
    options?: HandleOptions,
  ): Promise<Handled<State, Event>>;

  /** The stream's state now, every answered append included. */
  load<State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    stream: string,
  ): Promise<{ readonly state: State; readonly revision: Revision | 'none'; readonly position: Position }>;
}

/** Injection token of CommandHandling. */
export const COMMANDS = Symbol('CommandHandling');
