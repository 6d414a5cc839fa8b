import type { EventStore } from '@sluice/event-store';
import type { Collection, Row, StateStore } from './port';

interface SweepRow extends Row {
  /** The events by which things are judged: the store's identity and the prefix of its streams. */
  readonly events: string;
}

const SWEEPS: Collection<SweepRow> = { name: 'sweeps', indexes: [] };

export interface SweepOptions {
  /** What is swept: the id of the row that remembers the events of its first sweep. */
  readonly sweep: string;
  /** The state store. */
  readonly state: StateStore;
  readonly events: EventStore;
  readonly eventStorePrefix: string;
}

/**
 * Keeps a sweep from judging by other events than it did first: an event store in the wrong place
 * names nothing, and everything would go.
 * @throws Error that says what to do when these are the right ones
 */
export async function refuseForeignEvents({ sweep, state, events, eventStorePrefix }: SweepOptions): Promise<void> {
  const now = `${eventStorePrefix}@${await events.identity()}`;
  const rows = state.rows(SWEEPS);
  await rows.put({ id: sweep, events: now }, 'absent');
  const known = (await rows.get(sweep))?.events;
  if (known === now) return;
  throw new Error(
    `Their events are of ${known}, and now of ${now}. When these are the right ones, delete the row "${sweep}" of the state store's collection "${SWEEPS.name}".`,
  );
}
