/** What happened, in the past tense. `data` is JSON and only ever grows new members. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * The whole behaviour of one kind of stream, as three pure functions.
 *
 * `decide` answers the events that a command causes (none when nothing changes) or throws a
 * DomainError; `evolve` folds one event into the state and never rejects, never reads a clock:
 * `at` is the time that the event records, by the clock of the process that wrote it, and `recordedAt` the event store's
 * own time of the write; both ISO 8601.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: () => State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event, at: string, recordedAt: string) => State;
}

/** Thrown by `evolve` for a type that this release does not know: a newer release wrote it. */
export class UnknownEventError extends Error {
  constructor(readonly eventType: string) {
    super(`Event type "${eventType}" is not known to this release. Upgrade this process to the release that wrote it.`);
    this.name = 'UnknownEventError';
  }
}

/** Ends an exhaustive switch over events: does not compile until every type is handled. */
export function unknownEvent(event: never): never {
  throw new UnknownEventError((event as DomainEvent).type);
}
