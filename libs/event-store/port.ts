import { EngineUnavailableError, type DomainEvent, type JsonObject } from '@sluice/kernel';

/**
 * The place of an event among all events of a store. Opaque, except that positions of one store
 * are ordered by plain string comparison (`a < b`). START is before every event.
 */
export type Position = string;
export const START: Position = '';

/** Zero-based number of an event within its stream. */
export type Revision = number;

/** The revision of the stream's last event as the writer read it, or `none` for no event yet. */
export type ExpectedRevision = Revision | 'none';

export interface EventMetadata {
  readonly commandId: string;
  /** `token:ID`, `owner:ID` or `system:NAME`. */
  readonly actor: string;
  readonly correlationId: string;
  /** The id of the event or command that caused this one. */
  readonly causationId: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string;
  /** Wall-clock time of the decision, ISO 8601. */
  readonly at: string;
  /** SHA-256 of the request body that an idempotency key came with. */
  readonly bodyHash?: string;
}

export interface NewEvent<Event extends DomainEvent = DomainEvent> {
  /** A UUID. Appending the same ids again with the same expected revision is a repeat, not a second write. */
  readonly id: string;
  readonly type: Event['type'];
  readonly data: Event['data'];
  readonly metadata: EventMetadata;
}

/** Distributes over a union, so that `type` narrows `data`. */
export type Recorded<Event extends DomainEvent> = Event extends DomainEvent ? Event & RecordedFacts : never;

export interface RecordedFacts {
  readonly id: string;
  readonly metadata: EventMetadata;
  readonly stream: string;
  readonly revision: Revision;
  readonly position: Position;
  /** The store's own time of the write, ISO 8601. */
  readonly recordedAt: string;
}

export type RecordedEvent = DomainEvent<string, JsonObject> & RecordedFacts;

export interface Appended {
  /** Revision and position of the last event of the append. */
  readonly revision: Revision;
  readonly position: Position;
}

/** Another writer was first: nothing of this append was written. */
export class WrongExpectedRevisionError extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: ExpectedRevision,
  ) {
    super(`Stream ${stream} is at revision ${actual}, not at ${expected} as expected.`);
    this.name = 'WrongExpectedRevisionError';
  }
}

/** Why a store can't be used, for an operator. */
export type UnavailableReason =
  'no_connection' | 'no_answer' | 'no_leader' | 'wrong_credentials' | 'access_denied' | 'untrusted_certificate';

/**
 * The store could not be reached or did not answer. `written: 'unknown'` is possible for appends alone. The message
 * holds no secret and no address; `reason` is undefined where the engine can't tell.
 */
export class EventStoreUnavailableError extends EngineUnavailableError {
  readonly engine = 'event store';
  readonly reason: UnavailableReason | undefined;

  constructor(
    message: string,
    readonly written: 'no' | 'unknown',
    options: ErrorOptions & { readonly reason?: UnavailableReason | undefined } = {},
  ) {
    super(message, options);
    this.name = 'EventStoreUnavailableError';
    this.reason = options.reason;
  }
}

/** A programming fault, an event over MAX_EVENT_BYTES or an append over MAX_APPEND_BYTES: no retry can help, nothing was written. */
export class InvalidAppendError extends Error {
  override readonly name = 'InvalidAppendError';
}

/** Data and metadata of one event together, as UTF-8 JSON. */
export const MAX_EVENT_BYTES = 512 * 1024;

/** All events of one append together, counted alike. */
export const MAX_APPEND_BYTES = 1_000_000;

export interface ReadStreamOptions {
  /** Default `forwards`. */
  readonly direction?: 'forwards' | 'backwards';
  /** The first revision to deliver (inclusive). Default: the first, or the last when backwards. */
  readonly from?: Revision;
  readonly limit?: number;
}

export interface ReadAllOptions {
  /** Exclusive. Default START. */
  readonly after?: Position;
  /** Only streams whose name begins with one of these. Default: every stream. */
  readonly prefixes?: readonly string[];
  readonly limit?: number;
}

export interface EventBatch {
  /** In the store's order, never empty except when only `position` moved. */
  readonly events: readonly RecordedEvent[];
  /** Every matching event up to here is in this batch or was in an earlier one. */
  readonly position: Position;
}

export interface SubscribeOptions {
  /** Exclusive: the position that was handled last. */
  readonly after: Position;
  /** Only streams whose name begins with one of these. */
  readonly prefixes: readonly string[];
  /**
   * One call at a time, in order; the next batch waits for the promise. When it rejects, the
   * subscription stops: nothing past this batch is delivered, and `position` stays before it.
   */
  readonly handle: (batch: EventBatch) => Promise<void>;
  /** At most this many events a batch. Default 256. */
  readonly maxBatch?: number;
}

export interface Subscription {
  /** Handled up to here, looked-at events that did not match included. */
  readonly position: Position;
  /**
   * Resolves once everything that the store held at the time of subscribing has been handled;
   * rejects when a handler fails before that, and stays pending when close() comes before that.
   */
  readonly caughtUp: Promise<void>;
  /** Resolves after close(); rejects with the error of a handler that failed. */
  readonly stopped: Promise<void>;
  /** Waits for the batch in hand. */
  close(): Promise<void>;
}

/**
 * Streams of events, kept permanently. One contract suite holds every engine to this.
 */
export interface EventStore {
  /** Names this very store; a restored or foreign store has another. */
  identity(): Promise<string>;

  /**
   * Appends to one stream, all or nothing, durable on disk before the promise resolves.
   *
   * Idempotent for the same ids with the same expected revision, at any later time: the answer is
   * the first one's. An engine that lost contact repeats identically by itself until the outcome
   * is known or its patience ends.
   *
   * @throws WrongExpectedRevisionError, EventStoreUnavailableError, InvalidAppendError
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>;

  /** A stream that does not exist reads as empty. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;

  /** In the store's order. Sees every append that was answered before the call. */
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;

  /** Position of the last event of any stream; START when there is none. */
  head(): Promise<Position>;

  /**
   * Catch-up, then live, in order, each event at least once, no gap between the two. Resumes by
   * itself when the engine was unavailable.
   */
  subscribe(options: SubscribeOptions): Subscription;

  /** The engine's name and version as its server reports them, such as `NATS 2.11.4`. Left out: it reports none. */
  readonly product?: () => Promise<string | undefined>;
  /** Ends subscriptions and waits for appends in flight. */
  close(): Promise<void>;
}

/** Injection token of the EventStore. */
export const EVENT_STORE = Symbol('EventStore');
