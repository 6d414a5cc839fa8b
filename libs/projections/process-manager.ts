import type { DomainEvent, Logger } from '@sluice/kernel';
import { type EventStore, type Position, type Recorded, START } from '@sluice/event-store';
import { followEvents } from '@sluice/event-store';
import type { Collection, Row, Rows, RowVersion, StateStore } from '@sluice/document-store';

/**
 * Events in, commands out. Its checkpoint is in the state store and is never rebuilt, so each
 * event is handled at least once and, but for a crash, once.
 */
export interface ProcessManager<Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  readonly prefixes: readonly string[];
  /**
   * Commands that it gives carry ids made from the event's id and the step. Rejecting: tried again, with
   * growing delays, before anything past this event. Once `stopping` aborts it should reject soon, unless
   * it is done: the next start reacts to this event again.
   */
  react(event: Recorded<Event>, stopping: AbortSignal): Promise<void>;
}

export interface RunningProcess {
  /** Handled up to here. */
  readonly position: Position;
  /** Stops the current reaction, waits for it and stores the checkpoint. */
  close(): Promise<void>;
}

export interface ProcessManagerOptions {
  readonly events: EventStore;
  /** The state store: keeps the checkpoint. */
  readonly state: StateStore;
  readonly process: ProcessManager;
  /** Receives a line when the process is blocked and why, and when it continues. */
  readonly logger: Logger;
}

interface ProcessRow extends Row {
  readonly position: Position;
  /** EventStore.identity() of the store that the position belongs to. */
  readonly store: string;
}

const PROCESSES: Collection<ProcessRow> = { name: 'processes', indexes: [] };

/** So many reactions may come again after a crash. */
const EVENTS_PER_CHECKPOINT = 64;
/** A position that moved past other streams' events alone is stored this often. */
const IDLE_CHECKPOINT_MS = 10_000;

/**
 * Starts a process manager behind its checkpoint, a new one at the first event. Replicas of one
 * process may run side by side: each leaves out what the stored checkpoint says another has handled.
 * Resolves immediately, and waits for an unavailable engine in the background.
 */
export function startProcess({ events, state, process, logger }: ProcessManagerOptions): Promise<RunningProcess> {
  const checkpoint = openCheckpoint(state.rows(PROCESSES), process.name, events);
  let position: Position = START;

  const following = followEvents({
    ...{ events, logger, subject: `Process "${process.name}"` },
    ...{ prefixes: process.prefixes, maxBatch: EVENTS_PER_CHECKPOINT },
    start: async () => (position = await checkpoint.open()),
    handle: async (batch, signal, progressed) => {
      if (batch.events.length > 0) {
        const handled = await checkpoint.load();
        for (const event of batch.events) {
          if (signal.aborted) return;
          // The batch comes again after a fault.
          if (event.position <= position) continue;
          if (event.position > handled) await process.react(event, signal);
          position = event.position;
          progressed();
        }
      }
      position = batch.position;
      if (batch.events.length > 0 || checkpoint.ageMs() > IDLE_CHECKPOINT_MS) await checkpoint.store(position);
    },
  });

  return Promise.resolve({
    get position() {
      return position;
    },
    close: async () => {
      await following.close();
      await checkpoint.store(position).catch(() => undefined);
    },
  });
}

/** One process's row; `store` never moves it backwards. */
function openCheckpoint(rows: Rows<ProcessRow>, id: string, events: EventStore) {
  let store = '';
  let storedAt = performance.now();
  let stored: { readonly row: ProcessRow; readonly version: RowVersion } | undefined;

  const load = async (): Promise<Position> => {
    stored = await rows.getVersioned(id);
    return stored?.row.position ?? START;
  };

  return {
    ageMs: () => performance.now() - storedAt,

    /** @throws Error when the checkpoint does not belong to the event store as it is */
    open: async (): Promise<Position> => {
      store = await events.identity();
      const position = await load();
      const head = await events.head();
      const remedy = `Delete the row "${id}" of the state store's collection "${PROCESSES.name}" to start at the first event.`;
      if (stored && stored.row.store !== store) {
        throw new Error(`Its checkpoint belongs to another event store (${stored.row.store}, not ${store}). ${remedy}`);
      }
      if (position > head) {
        throw new Error(
          `Its checkpoint is ${position}, but the event store ends at ${head || 'its start'}: it was put back to an earlier state. ${remedy}`,
        );
      }
      return position;
    },

    load,

    store: async (position: Position): Promise<void> => {
      const row = { id, position, store };
      while (position > (stored?.row.position ?? START)) {
        const version = await rows.put(row, stored?.version ?? 'absent');
        if (version === undefined) await load();
        else stored = { row, version };
      }
      storedAt = performance.now();
    },
  };
}
