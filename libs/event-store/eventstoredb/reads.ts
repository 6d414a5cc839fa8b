import {
  BACKWARDS,
  END,
  FORWARDS,
  type RecordedEvent as DriverEvent,
  type ResolvedEvent,
  START as FROM_START,
  StreamNotFoundError,
  type StreamingRead,
} from '@eventstore/db-client';
import { type JsonObject, TimeoutError } from '@sluice/kernel';
import {
  type EventBatch,
  type EventMetadata,
  type Position,
  type ReadStreamOptions,
  type RecordedEvent,
  START,
} from '../port';
import type { Connection } from './connection';
import { unavailable } from './driver-errors';
import { fromPosition, toPosition } from './positions';

/** The stream that holds the store's identity; never delivered. */
export const IDENTITY_STREAM = 'sluiceStore';

/** A record of the log: an event, or one that no reader needs, of the server or of another writer. */
export interface LogRecord {
  readonly position: Position;
  readonly event: RecordedEvent | undefined;
}

/** When this much waits for the reader, the read is paused. */
const WAITING_EVENTS = 512;

/** The next records of the log behind a position. Ends at the log's end. */
export async function* readLog(
  connection: Connection,
  after: Position,
  silenceMs: number,
): AsyncGenerator<readonly LogRecord[]> {
  const { client, call } = connection;
  const read = client.readAll({ ...call, direction: FORWARDS, fromPosition: fromPosition(after) });
  for await (const events of whileItAnswers(connection, client, read, silenceMs)) {
    const records: LogRecord[] = [];
    for (const resolved of events) {
      const record = toLogRecord(resolved);
      // A read from a position delivers the record at this position as well.
      if (record && record.position > after) records.push(record);
    }
    yield records;
  }
}

/**
 * The events behind `after` of streams with these prefixes, up to `goal`, a position of the log's past.
 * @throws EventStoreUnavailableError when the log ends before it, on a node that lags behind the one that told it
 */
export async function* readUpTo(
  connection: Connection,
  { after, goal, prefixes, maxBatch }: Readonly<Record<'after' | 'goal', Position>> & SelectedBatches,
  silenceMs: number,
): AsyncGenerator<EventBatch> {
  let events: RecordedEvent[] = [];
  for await (const records of readLog(connection, after, silenceMs)) {
    for (const { event, position } of records) {
      if (event && prefixes.some((prefix) => event.stream.startsWith(prefix))) events.push(event);
      if (position < goal && events.length < maxBatch) continue;
      yield { events, position };
      if (position >= goal) return;
      events = [];
    }
  }
  throw unavailable(new Error('The node that answers lags behind the head of the log.'));
}

interface SelectedBatches {
  readonly prefixes: readonly string[];
  readonly maxBatch: number;
}

/** The position of the log's last record; START for an empty log. */
export async function readHead(connection: Connection, silenceMs: number): Promise<Position> {
  const { client, call } = connection;
  const read = client.readAll({ ...call, direction: BACKWARDS, fromPosition: END, maxCount: 1 });
  let head = START;
  for await (const events of whileItAnswers(connection, client, read, silenceMs)) {
    for (const { event } of events) if (event) head = toPosition(event.position);
  }
  return head;
}

/** A stream that is missing, or was deleted by hand, reads as empty. */
export async function* readStream(
  connection: Connection,
  stream: string,
  { direction = 'forwards', from, limit }: ReadStreamOptions,
  silenceMs: number,
): AsyncGenerator<RecordedEvent> {
  if (limit !== undefined && limit <= 0) return;
  const { client, call } = connection;
  const forwards = direction === 'forwards';
  const read = client.readStream(stream, {
    ...call,
    direction: forwards ? FORWARDS : BACKWARDS,
    fromRevision: from === undefined ? (forwards ? FROM_START : END) : BigInt(from),
    ...(limit !== undefined && { maxCount: limit }),
  });
  try {
    for await (const events of whileItAnswers(connection, client, read, silenceMs)) {
      for (const { event } of events) if (event) yield toRecorded(event);
    }
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
}

/** Undefined for what is not there any more: a link whose event is gone. */
export function toLogRecord({ event }: ResolvedEvent): LogRecord | undefined {
  if (event?.position === undefined) return undefined;
  return { position: toPosition(event.position), event: isOurs(event) ? toRecorded(event) : undefined };
}

/** Others on the same servers may name their streams as we do: an event of ours records which command caused it. */
function isOurs({ streamId, isJson, data, metadata }: DriverEvent): boolean {
  return (
    isJson &&
    !streamId.startsWith('$') &&
    streamId !== IDENTITY_STREAM &&
    isObject(data) &&
    isObject(metadata) &&
    'commandId' in metadata
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function toRecorded({ streamId, id, revision, type, data, metadata, created, position }: DriverEvent): RecordedEvent {
  if (position === undefined) throw unavailable(new Error('A server before 22.6 reports no positions.'));
  return {
    id,
    type,
    data: data as JsonObject,
    metadata: metadata as object as EventMetadata,
    stream: streamId,
    revision: Number(revision),
    position: toPosition(position),
    recordedAt: created.toISOString(),
  };
}

/**
 * What a read delivers, as it comes in, given up when it is silent for too long: the driver's reads have no deadline.
 * Listens instead of iterating, which costs several turns of promises for every event.
 * @throws StreamNotFoundError, EventStoreUnavailableError
 */
async function* whileItAnswers<E>(
  connection: Connection,
  client: Connection['client'],
  read: StreamingRead<E>,
  silenceMs: number,
): AsyncGenerator<readonly E[]> {
  const state: {
    waiting: E[];
    end?: { readonly error?: unknown };
    silent: boolean;
    heard: boolean;
    wake?: () => void;
  } = { waiting: [], silent: false, heard: false };
  const finish = (error?: unknown) => {
    // A read of a connection that was dropped ends as if it were complete.
    const cut = connection.gone(client) ? new Error('The connection was dropped.') : undefined;
    state.end ??= { error: error ?? cut };
    state.wake?.();
  };
  const receive = (event: E) => {
    state.heard = true;
    state.waiting.push(event);
    if (state.waiting.length >= WAITING_EVENTS) read.pause();
    state.wake?.();
  };
  const watchdog = setTimeout(() => {
    if (state.heard || state.wake === undefined) {
      state.heard = false;
      watchdog.refresh();
      return;
    }
    state.silent = true;
    connection.silent(client);
    finish(new TimeoutError());
  }, silenceMs);
  // The listener of errors stays: a cancelled call may fail after its caller stopped waiting.
  read.on('error', finish).on('end', finish).on('close', finish).on('data', receive);
  try {
    for (;;) {
      if (state.waiting.length === 0 && state.end === undefined) {
        await new Promise<void>((resolve) => (state.wake = resolve));
        delete state.wake;
      }
      const events = state.waiting;
      state.waiting = [];
      if (events.length > 0) {
        read.resume();
        yield events;
        // The silence begins again with the next wait.
        state.heard = true;
      } else if (state.end !== undefined) break;
    }
    const { error } = state.end;
    if (error !== undefined) throw error instanceof StreamNotFoundError ? error : unavailable(error);
  } finally {
    clearTimeout(watchdog);
    if (!state.silent) connection.answered(client);
    // Ending the loop does not end the call. One that has ended already, unread, would stay in the client for
    // ever: what is left of it is let through.
    read.off('data', receive);
    read.cancel().catch(() => undefined);
    read.resume();
  }
}
