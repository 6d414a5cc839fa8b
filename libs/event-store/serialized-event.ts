import { isStorableText } from '@sluice/kernel';
import { type ExpectedRevision, InvalidAppendError, MAX_APPEND_BYTES, MAX_EVENT_BYTES, type NewEvent } from './port';

/** An event as engines store it: `data` and `metadata` are JSON texts. */
export interface SerializedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Checks an append and turns its events into JSON texts, before any engine sees them.
 * @throws InvalidAppendError
 */
export function serializeAppend(
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): readonly SerializedEvent[] {
  if (stream === '') throw new InvalidAppendError('An append needs the name of a stream; an empty text was given.');
  if (!isStorableText(stream)) {
    throw new InvalidAppendError(
      `The name ${JSON.stringify(stream)} of a stream holds NUL or half of a surrogate pair.`,
    );
  }
  if (expected !== 'none' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new InvalidAppendError(
      `The expected revision of ${stream} must be "none" or a whole number from 0; ${expected} was given.`,
    );
  }
  if (events.length === 0) throw new InvalidAppendError(`An append to ${stream} needs at least one event.`);
  let total = 0;
  const serialized = events.map((event) => {
    if (!UUID.test(event.id)) {
      throw new InvalidAppendError(`The event id "${event.id}" of ${event.type} for ${stream} is not a UUID.`);
    }
    const data = toJson(event.data, `The data of ${event.type} for ${stream}`);
    const metadata = toJson(event.metadata, `The metadata of ${event.type} for ${stream}`);
    const bytes = Buffer.byteLength(data) + Buffer.byteLength(metadata);
    if (bytes > MAX_EVENT_BYTES) {
      throw new InvalidAppendError(
        `${event.type} for ${stream} has ${bytes} bytes; an event may have ${MAX_EVENT_BYTES}.`,
      );
    }
    total += bytes;
    return { id: event.id, type: event.type, data, metadata };
  });
  if (total > MAX_APPEND_BYTES) {
    throw new InvalidAppendError(`An append to ${stream} has ${total} bytes; it may have ${MAX_APPEND_BYTES}.`);
  }
  return serialized;
}

function toJson(value: unknown, what: string): string {
  if (typeof value !== 'object' || value === null) throw new InvalidAppendError(`${what} is not an object.`);
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new InvalidAppendError(`${what} can't be written as JSON: ${(cause as Error).message}`, { cause });
  }
}
