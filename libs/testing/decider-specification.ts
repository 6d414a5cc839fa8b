import type { Decider, DomainEvent } from '@sluice/kernel';

/** Given events (or what commands caused), when a command, then events or a rejection. */
export interface DeciderSpecification<State, Command, Event extends DomainEvent> {
  /** A stream of these events; see {@link eventTime}. */
  readonly given: (...events: readonly Event[]) => GivenStream<State, Command, Event>;
  /** A stream of the events that these commands cause, each decided after those before it. */
  readonly after: (...commands: readonly Command[]) => GivenStream<State, Command, Event>;
  /** The state after these events. */
  readonly evolve: (state: State, events: readonly Event[]) => State;
}

export interface GivenStream<State, Command, Event extends DomainEvent> {
  readonly state: State;
  readonly when: (command: Command) => Decision<Event>;
}

export interface Decision<Event extends DomainEvent> {
  /** @throws what `decide` throws */
  readonly events: readonly Event[];
  /** Expects exactly these events. */
  readonly then: (...expected: readonly Event[]) => void;
  /** Expects a rejection with this code, or with these members. */
  readonly rejects: (expected: string | object) => void;
}

export function specify<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): DeciderSpecification<State, Command, Event> {
  const evolve = (state: State, events: readonly Event[]) =>
    events.reduce((current, event, index) => decider.evolve(current, event, eventTime(index), eventTime(index)), state);
  const given = (...events: readonly Event[]): GivenStream<State, Command, Event> => {
    const state = evolve(decider.initialState(), events);
    return {
      state,
      when: (command) => ({
        get events() {
          return decider.decide(command, state);
        },
        then: (...expected) => expect(decider.decide(command, state)).toEqual(expected),
        rejects: (expected) => {
          const members = typeof expected === 'string' ? { code: expected } : expected;
          expect(() => decider.decide(command, state)).toThrow(expect.objectContaining(members) as Error);
        },
      }),
    };
  };
  const after = (...commands: readonly Command[]) =>
    given(
      ...commands.reduce<readonly Event[]>(
        (events, command) => [...events, ...decider.decide(command, given(...events).state)],
        [],
      ),
    );
  return { given, after, evolve };
}

/** When the event of this index in a given stream happened: one second after the one before it. */
export function eventTime(index: number): string {
  return new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
}
