import { setImmediate as nextTurn } from 'node:timers/promises';
import { newCommandId, withTimeout } from '@sluice/kernel';
import {
  type Appended,
  type EventBatch,
  type EventStore,
  EventStoreUnavailableError,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  START,
  WrongExpectedRevisionError,
} from '../port';
import { DEFAULT_BATCH, openSubscriptions } from '../subscription';
import { append, type Patience } from './appends';
import { CatchUp, type Wanted } from './catch-up';
import { connect, type Connection } from './connection';
import { unavailable } from './driver-errors';
import { LiveTail } from './live-tail';
import { subscribeToLog } from './log-subscription';
import { IDENTITY_STREAM, readHead, readLog, readStream, readUpTo } from './reads';

export interface EventStoreDbOptions {
  /**
   * `esdb://USER:PASSWORD@HOST:2113?tls=true`, with the options of the driver. A cluster is named by its nodes,
   * separated by commas, or as `esdb+discover://NAME` by one DNS name that leads to all of them.
   */
  readonly url: string;
  /** How long one call may take, 2,500 ms; and an append with all its repeats, 6,000 ms. */
  readonly patience?: Patience;
  /** The tail of the log is subscribed again when it is behind the head for this long. Default 5,000 ms. */
  readonly standsMs?: number;
}

const DEFAULT_PATIENCE: Patience = { callMs: 2_500, appendMs: 6_000 };
const CATCH_UP_BATCH = 1_024;
const STANDS_MS = 5_000;

/**
 * Opens an event store on EventStoreDB 23.10 or later (KurrentDB from version 25). Needs no server to open: calls
 * without a server fail as unavailable, and subscriptions wait for one.
 * @throws Error when the address is none
 */
export function openEventStoreDb(options: EventStoreDbOptions): EventStore {
  const { url, patience = DEFAULT_PATIENCE, standsMs = STANDS_MS } = options;
  const connection = connect(url);
  const inFlight = new Set<Promise<unknown>>();
  let identity: Promise<string> | undefined;
  let closed = false;

  const refuseClosed = () => {
    if (closed) throw new EventStoreUnavailableError('The event store is closed.', 'no');
  };
  const head = async (): Promise<Position> => {
    refuseClosed();
    return readHead(connection, patience.callMs).catch(explain);
  };
  /** What the driver calls away may be a certificate or an election. */
  const explain = async (error: unknown): Promise<never> => {
    const fault = unavailable(error);
    if (fault.reason !== 'no_connection') throw fault;
    throw unavailable(fault, fault.written, await connection.knock().catch(() => fault.reason));
  };
  const tail = new LiveTail({
    ...{ head, standsMs },
    batches: (after, signal) => subscribeToLog(connection, { after, maxBatch: DEFAULT_BATCH, signal }),
  });

  const appendTo: EventStore['append'] = async (stream, expected, events) => {
    refuseClosed();
    const appending = append(connection, patience, stream, expected, events);
    inFlight.add(appending);
    return appending.finally(() => inFlight.delete(appending));
  };

  async function* streamEvents(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent> {
    refuseClosed();
    yield* readStream(connection, stream, options, patience.callMs);
  }

  async function* allEvents({ after = START, prefixes, limit = Infinity }: ReadAllOptions = {}) {
    refuseClosed();
    let left = prefixes?.length === 0 ? 0 : limit;
    if (left <= 0) return;
    // The driver takes a filter for such reads and drops it without a word.
    for await (const records of readLog(connection, after, patience.callMs)) {
      for (const { event } of records) {
        if (!event || prefixes?.some((prefix) => event.stream.startsWith(prefix)) === false) continue;
        yield event;
        if ((left -= 1) === 0) return;
      }
    }
  }

  /** From the tail where it reaches back so far; up to it together with other readers that are behind. */
  async function* follow(prefixes: readonly string[], maxBatch: number, after: Position, signal: AbortSignal) {
    for (let position = after; !signal.aborted;) {
      const goal = await tail.start();
      const page = tail.page(position, prefixes, maxBatch);
      if (page === undefined) {
        for await (const batch of catchUp.batches({ after: position, goal, prefixes }, maxBatch, signal)) {
          position = batch.position;
          yield batch;
        }
      } else if (page.position > position) {
        position = page.position;
        yield page;
        await nextTurn();
      } else {
        await tail.wait(position, prefixes, signal);
      }
    }
  }

  /**
   * By a subscription that the server filters. One that has caught up has told what its own node has, which may lag
   * behind the one that told the goal: what is left up to there is read from the log, until the record at the goal
   * was seen.
   */
  async function* readWanted({ after, goal, prefixes }: Wanted, signal: AbortSignal): AsyncGenerator<EventBatch> {
    if (prefixes.length === 0) {
      yield { events: [], position: goal };
      return;
    }
    const maxBatch = CATCH_UP_BATCH;
    let position = after;
    for await (const batch of subscribeToLog(connection, { after, maxBatch, signal, selected: { prefixes, goal } })) {
      position = batch.position;
      yield batch;
      if (position >= goal) return;
    }
    if (signal.aborted) return;
    yield* readUpTo(connection, { after: position, goal, prefixes, maxBatch }, patience.callMs);
  }
  const catchUp = new CatchUp(readWanted);

  /** The id of an event that is written once, by the first process; a store that is restored from a copy has it again. */
  const nameStore = async (): Promise<string> => {
    for (;;) {
      for await (const { id } of streamEvents(IDENTITY_STREAM, { limit: 1 })) return id;
      await appendTo(IDENTITY_STREAM, 'none', [storeNamed()]).catch((error: unknown) => {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
      });
    }
  };

  const subscriptions = openSubscriptions({ head, follow });
  return {
    identity() {
      identity ??= nameStore().catch((error: unknown) => {
        identity = undefined;
        return explain(error);
      });
      return identity;
    },
    head,
    append: (stream, expected, events): Promise<Appended> => appendTo(stream, expected, events),
    readStream: streamEvents,
    readAll: allEvents,
    subscribe: subscriptions.subscribe,

    product: () => serverVersion(connection, patience.callMs),

    async close() {
      closed = true;
      await subscriptions.close();
      await tail.close();
      await Promise.allSettled(inFlight);
      // Without it the process would not end. It cancels all calls, and may wait forever for one of them.
      await withTimeout(connection.dispose(), patience.callMs).catch(() => undefined);
    },
  };
}

/** What the driver asks each server that it connects to, for itself. Undefined: this one does not tell. */
async function serverVersion({ client }: Connection, patienceMs: number): Promise<string | undefined> {
  const asked = Reflect.get(client, 'capabilities') as Promise<{ readonly serverVersion?: unknown }> | undefined;
  const version = asked && (await withTimeout(asked, patienceMs)).serverVersion;
  return typeof version === 'string' ? `EventStoreDB ${version}` : undefined;
}

function storeNamed(): NewEvent {
  const commandId = newCommandId();
  const metadata = { commandId, correlationId: commandId, causationId: commandId, actor: 'system:event-store' };
  return {
    id: commandId,
    type: 'StoreNamed',
    data: {},
    metadata: { ...metadata, at: new Date().toISOString() },
  };
}
