import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Appended,
  type EventBatch,
  type EventStore,
  EventStoreUnavailableError,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  START,
} from '../port';
import { serializeAppend } from '../serialized-event';
import { openSubscriptions } from '../subscription';
import { AppendThread } from './append-thread';
import { connect, MOVED } from './database';
import { EventReader } from './event-reader';
import { placeOf } from './open-file';
import { AppendNotifier } from '../append-notifier';

export interface SqliteEventStoreOptions {
  /** The file. Its folder and itself are made when missing. */
  readonly path: string;
  /** How often appends of other processes are looked for while someone subscribes. Default 20 ms. */
  readonly pollMs?: number;
}

/**
 * Opens the embedded event store. Several processes of one machine may have the same file open:
 * revisions are checked under the file's write lock, and positions become visible in their order.
 * @throws EventStoreUnavailableError when the file can't be opened or was made by a newer release
 */
export async function openSqliteEventStore({ path, pollMs = 20 }: SqliteEventStoreOptions): Promise<EventStore> {
  const thread = new AppendThread(path, (streams) => notifier.appended(streams));
  await thread.open();
  const database = connect(path);
  database.pragma('query_only = ON');
  const reader = new EventReader(database);
  const inPlace = placeOf(path);
  let closed = false;

  const read = <T>(look: () => T): T => {
    if (closed) throw new EventStoreUnavailableError(`The event store ${path} is closed.`, 'no');
    try {
      return look();
    } catch (cause) {
      const { message } = cause as Error;
      throw new EventStoreUnavailableError(`The event store ${path} can't be read: ${message}`, 'no', { cause });
    }
  };
  const head = () => read(() => reader.head());
  const answer = <T>(look: () => T) => new Promise<T>((resolve) => resolve(look()));
  const notifier = new AppendNotifier(head, pollMs);

  async function* readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', limit = Infinity } = options;
    const step = direction === 'forwards' ? 1 : -1;
    let from = options.from ?? (direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER);
    for (let left = limit; left > 0 && from >= 0;) {
      const events = read(() => reader.streamPage(stream, direction, from, left));
      const last = events.at(-1);
      if (last === undefined) return;
      yield* events;
      left -= events.length;
      from = last.revision + step;
      await nextTurn();
    }
  }

  async function* readAll({ after = START, prefixes, limit = Infinity }: ReadAllOptions = {}) {
    const upTo = head();
    let left = limit;
    for (let position = after; left > 0 && position < upTo;) {
      const page: EventBatch = read(() => reader.page(position, upTo, prefixes, left));
      yield* page.events;
      left -= page.events.length;
      position = page.position;
      await nextTurn();
    }
  }

  async function* follow(prefixes: readonly string[], maxBatch: number, after: Position, signal: AbortSignal) {
    let position = after;
    while (!signal.aborted) {
      const upTo = head();
      if (upTo > position) {
        const batch: EventBatch = read(() => reader.page(position, upTo, prefixes, maxBatch));
        position = batch.position;
        yield batch;
        await nextTurn();
      } else {
        await notifier.wait(position, prefixes, signal);
      }
    }
  }

  const subscriptions = openSubscriptions({ head: () => answer(head), follow });
  return {
    identity: () => answer(() => read(() => reader.identity())),
    head: () =>
      answer(() =>
        read(() => {
          if (!inPlace()) throw new Error(MOVED);
          return reader.head();
        }),
      ),
    append: async (stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> =>
      thread.append(stream, expected, serializeAppend(stream, expected, events)),
    readStream,
    readAll,
    subscribe: subscriptions.subscribe,

    async close() {
      await subscriptions.close();
      if (!closed) {
        closed = true;
        database.close();
      }
      await thread.close();
    },
  };
}
