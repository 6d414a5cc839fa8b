import { setTimeout as delay } from 'node:timers/promises';
import { type AppendExpectedRevision, type AppendResult, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { withTimeout } from '@sluice/kernel';
import {
  type Appended,
  EventStoreUnavailableError,
  type ExpectedRevision,
  InvalidAppendError,
  type NewEvent,
  WrongExpectedRevisionError,
} from '../port';
import { type SerializedEvent, serializeAppend } from '../serialized-event';
import type { Connection } from './connection';
import { isSilence, knownOutcome, unavailable } from './driver-errors';
import { toPosition } from './positions';
import { readStream } from './reads';

export interface Patience {
  /** A single call is given up after this long. */
  readonly callMs: number;
  /** An append is repeated for this long, from its first call on. */
  readonly appendMs: number;
}

/** The server's limit, with the names of types counted twice, as it does. */
const MAX_SERVER_BYTES = 1_048_576;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 500;

/**
 * Appends with the revision that is expected, never with another one and never with none: only so
 * does the server recognise the repeat of an append, at any later time. One whose outcome is
 * unknown is repeated, the very same, until it is known or the patience has ended.
 */
export async function append(
  connection: Connection,
  { callMs, appendMs }: Patience,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<Appended> {
  const { call } = connection;
  // Before the driver sees them: its promise never settles over an event that can't be written as JSON,
  // and it answers an empty list as if it had been written.
  refuseOversized(stream, serializeAppend(stream, expected, events));
  const given = events.map(({ id, type, data, metadata }) =>
    jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: { ...metadata } }),
  );
  const expectedRevision: AppendExpectedRevision = expected === 'none' ? NO_STREAM : BigInt(expected);
  const deadline = performance.now() + appendMs;
  let doubtful = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
    const limit = Math.min(callMs, deadline - performance.now());
    const { client } = connection;
    try {
      const options = { ...call, expectedRevision, deadline: limit };
      // The driver's own deadline does not cover the search for a node nor a connection that is being made.
      const appended = toAppended(await withTimeout(client.appendToStream(stream, given, options), limit));
      connection.answered(client);
      return appended;
    } catch (error) {
      if (!isSilence(error)) connection.answered(client);
      // What was left of the patience is no time to judge a server by.
      else if (limit === callMs) connection.silent(client);
      const known = knownOutcome(error, stream, expected, doubtful);
      const torn = doubtful && known instanceof WrongExpectedRevisionError;
      if (torn && (await mayStand(connection, callMs, stream, known.expected, events)))
        throw unavailable(error, 'unknown');
      if (known) throw known;
      doubtful = true;
      if (performance.now() + pause >= deadline) throw unavailable(error, 'unknown');
      await delay(pause * (0.5 + Math.random() / 2));
    }
  }
}

/**
 * Whether part of an append was stored although its repeat conflicts: an interrupted call
 * may have brought the server some of its events, which are then no repeat. Also true when that can't be determined.
 */
async function mayStand(
  connection: Connection,
  callMs: number,
  stream: string,
  expected: ExpectedRevision,
  [first]: readonly NewEvent[],
): Promise<boolean> {
  const from = expected === 'none' ? 0 : expected + 1;
  try {
    for await (const { id } of readStream(connection, stream, { from, limit: 1 }, callMs)) return id === first?.id;
    return false;
  } catch {
    return true;
  }
}

function refuseOversized(stream: string, events: readonly SerializedEvent[]): void {
  const bytes = events.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  if (bytes <= MAX_SERVER_BYTES) return;
  throw new InvalidAppendError(`An append to ${stream} has ${bytes} bytes; EventStoreDB takes ${MAX_SERVER_BYTES}.`);
}

function toAppended({ nextExpectedRevision, position }: AppendResult): Appended {
  if (position === undefined) throw new EventStoreUnavailableError('EventStoreDB told no position.', 'unknown');
  return { revision: Number(nextExpectedRevision), position: toPosition(position) };
}
