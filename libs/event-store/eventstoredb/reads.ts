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
import type { JsonObject } from '@sluice/kernel';
import {
  type EventBatch,
  type EventMetadata,
  type Position,
  type ReadStreamOptions,
  type RecordedEvent,
  START,
} from '../port';
import type { Connection } from './connection';
import { SilentError, unavailable } from './driver-errors';
import { fromPosition, toPosition } from './positions';

/** The stream that holds the store's identity; delivered to nobody. */
export const IDENTITY_STREAM = 'sluiceStore';

/** A record of the log: an event, or one that concerns nobody, of the server or not written by us. */
export interface LogRecord {
  readonly position: Position;
  readonly event: RecordedEvent | undefined;
}

/** The next records of the log behind a position. Ends at the log's end. */
export async function* readLog(
  { client, call }: Connection,
  after: Position,
  silenceMs: number,
): AsyncGenerator<LogRecord> {
  const read = client.readAll({ ...call, direction: FORWARDS, fromPosition: fromPosition(after) });
  for await (const resolved of whileItAnswers(read, silenceMs)) {
    const record = toLogRecord(resolved);
    // A read from a position delivers the record at this position as well.
    if (record && record.position > after) yield record;
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
  for await (const { event, position } of readLog(connection, after, silenceMs)) {
    if (event && prefixes.some((prefix) => event.stream.startsWith(prefix))) events.push(event);
    if (position < goal && events.length < maxBatch) continue;
    yield { events, position };
    if (position >= goal) return;
    events = [];
  }
  throw unavailable(new Error('The node that answers lags behind the head of the log.'));
}

interface SelectedBatches {
  readonly prefixes: readonly string[];
  readonly maxBatch: number;
}

/** The position of the log's last record; START for an empty log. */
export async function readHead({ client, call }: Connection, silenceMs: number): Promise<Position> {
  const read = client.readAll({ ...call, direction: BACKWARDS, fromPosition: END, maxCount: 1 });
  let head = START;
  for await (const { event } of whileItAnswers(read, silenceMs)) if (event) head = toPosition(event.position);
  return head;
}

/** A stream that is missing, or was deleted by hand, reads as empty. */
export async function* readStream(
  { client, call }: Connection,
  stream: string,
  { direction = 'forwards', from, limit }: ReadStreamOptions,
  silenceMs: number,
): AsyncGenerator<RecordedEvent> {
  if (limit !== undefined && limit <= 0) return;
  const forwards = direction === 'forwards';
  const read = client.readStream(stream, {
    ...call,
    direction: forwards ? FORWARDS : BACKWARDS,
    fromRevision: from === undefined ? (forwards ? FROM_START : END) : BigInt(from),
    ...(limit !== undefined && { maxCount: limit }),
  });
  try {
    for await (const { event } of whileItAnswers(read, silenceMs)) if (event) yield toRecorded(event);
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
}

/** Undefined for what is not there any more: a link whose event is gone. */
export function toLogRecord({ event }: ResolvedEvent): LogRecord | undefined {
  if (event?.position === undefined) return undefined;
  return { position: toPosition(event.position), event: isOurs(event) ? toRecorded(event) : undefined };
}

/** Others on the same servers may name their streams as we do: an event of ours tells whose command made it. */
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
  if (position === undefined) throw unavailable(new Error('A server before 22.6 tells no positions.'));
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
 * What a read delivers, given up when it is silent for too long: the driver's reads have no deadline.
 * @throws StreamNotFoundError, EventStoreUnavailableError
 */
async function* whileItAnswers<E>(read: StreamingRead<E>, silenceMs: number): AsyncGenerator<E> {
  // A cancelled call may fail late, when nobody iterates any more.
  read.on('error', () => undefined);
  let waiting = true;
  const watchdog = setTimeout(() => {
    if (waiting) read.destroy(new SilentError());
    else watchdog.refresh();
  }, silenceMs);
  try {
    const events = read.iterator({ destroyOnReturn: false }) as AsyncIterable<E>;
    for await (const event of events) {
      waiting = false;
      yield event;
      waiting = true;
      watchdog.refresh();
    }
  } catch (error) {
    throw error instanceof StreamNotFoundError ? error : unavailable(error);
  } finally {
    clearTimeout(watchdog);
    // Leaving the loop ends the iteration, not the call. One that has ended already, unread, would
    // stay in the client for ever: what is left of it is let through.
    read.cancel().catch(() => undefined);
    read.resume();
  }
}
