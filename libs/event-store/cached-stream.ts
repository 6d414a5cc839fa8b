import type { Clock, Decider, DomainEvent } from '@sluice/kernel';
import { type Position, type Recorded, type RecordedFacts, type Revision, START } from './port';

/** How long a command id is remembered: the same one again within it is a repeat. */
const REPEAT_WINDOW_MS = 24 * 60 * 60 * 1000;

interface AppendedByCommand {
  readonly first: Revision;
  readonly count: number;
  readonly at: number;
}

/** What stays in memory of one stream: its state, and what each recent command appended. */
export class CachedStream<State, Event extends DomainEvent> {
  state: State;
  revision: Revision | 'none' = 'none';
  position: Position = START;
  /** By command id, the oldest first. */
  readonly #commands = new Map<string, AppendedByCommand>();

  constructor(
    private readonly decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>,
    private readonly clock: Clock,
  ) {
    this.state = decider.initialState();
  }

  /** The revision that the next event will have. */
  get next(): Revision {
    return this.revision === 'none' ? 0 : this.revision + 1;
  }

  /** Folds the event in, unless it is in already: overlapping reads are harmless. */
  apply(event: Recorded<Event>): void {
    // Recorded distributes over a union that is not known here; every member of it has these.
    const { revision, position, metadata, recordedAt } = event as RecordedFacts;
    if (revision !== this.next) return;
    this.state = this.decider.evolve(this.state, event, metadata.at, recordedAt);
    this.revision = revision;
    this.position = position;
    this.#remember(metadata.commandId, revision, Date.parse(metadata.at));
  }

  /** Which events of the last 24 hours this command appended; undefined when none. */
  appendedBy(commandId: string): { readonly first: Revision; readonly count: number } | undefined {
    const appended = this.#commands.get(commandId);
    return appended !== undefined && appended.at > this.#horizon() ? appended : undefined;
  }

  #remember(commandId: string, revision: Revision, at: number): void {
    const horizon = this.#horizon();
    for (const [id, oldest] of this.#commands) {
      if (oldest.at > horizon) break;
      this.#commands.delete(id);
    }
    if (at <= horizon) return;
    const known = this.#commands.get(commandId);
    if (known === undefined) this.#commands.set(commandId, { first: revision, count: 1, at });
    else if (known.first + known.count === revision)
      this.#commands.set(commandId, { ...known, count: known.count + 1 });
  }

  #horizon(): number {
    return this.clock.now().getTime() - REPEAT_WINDOW_MS;
  }
}
