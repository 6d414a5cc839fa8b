import { setTimeout as delay } from 'node:timers/promises';
import {
  type Clock,
  type Decider,
  DomainError,
  type DomainEvent,
  KeyedMutex,
  stableUuid,
  UnavailableError,
  UnknownEventError,
} from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import { CachedStream } from './cached-stream';
import {
  type Appended,
  type EventMetadata,
  type EventStore,
  EventStoreUnavailableError,
  type NewEvent,
  type Position,
  type Recorded,
  type RecordedFacts,
  type Revision,
  START,
  WrongExpectedRevisionError,
} from './port';

/** Identifies one command and its caller; part of the metadata of every event that it causes. */
export interface CommandContext {
  /** The same id again, within 24 hours, on the same stream, is a repeat. */
  readonly commandId: string;
  readonly actor: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly traceparent?: string;
  readonly bodyHash?: string;
}

/** The context of a command that an event causes; each step of a reaction has a command of its own, whenever it is repeated. */
export function causedBy({ id, metadata }: RecordedFacts, actor: string, step: string): CommandContext {
  return {
    commandId: stableUuid(id, step),
    actor,
    correlationId: metadata.correlationId,
    causationId: id,
    ...(metadata.traceparent !== undefined && { traceparent: metadata.traceparent }),
  };
}

export interface HandleOptions {
  /** Conflicts are retried from the load until this is spent. Default 5,000 ms. */
  readonly budgetMs?: number;
  /** False: do not wait until the readers have seen the events. For process managers and workers. */
  readonly waitForReaders?: boolean;
}

export interface Handled<State, Event extends DomainEvent> {
  /** After the command. For a repeat: the current state. */
  readonly state: State;
  /** What this command caused; for a repeat, what it caused the first time. */
  readonly events: readonly Recorded<Event>[];
  readonly revision: Revision | 'none';
  /** Of the stream's last event; START for an empty stream. */
  readonly position: Position;
  readonly repeated: boolean;
}

export interface CommandHandlingOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Waits until the readers of this stream have applied the position. Default: there are none. */
  readonly visible?: (stream: string, position: Position) => Promise<void>;
  /** Streams whose state stays in memory. Default 10,000. */
  readonly cachedStreams?: number;
  /** Told of every append. */
  readonly observe?: ObserveAppend;
}

export type AppendOutcome = 'appended' | 'conflict' | 'failed';

/** Told what is about to be appended, for whom; answers the trace that its events are written under, and whom to tell the end. */
export type ObserveAppend = (
  stream: string,
  traceparent: string | undefined,
) => { readonly traceparent: string | undefined; readonly end: (outcome: AppendOutcome) => void };

const unobserved: ObserveAppend = (_, traceparent) => ({ traceparent, end: () => undefined });

export interface CommandHandling {
  /**
   * Loads the stream, decides, appends with the revision that was read, and waits until readers
   * have seen it. Commands on one stream queue within the process; a conflict with another process
   * is retried from the load. A repeated command id appends nothing; with
   * another body it is refused. Event ids are made from
   * command id, stream and index.
   *
   * @throws what `decide` throws; UnavailableError when the store is unavailable, the outcome stays
   *   unknown, the budget is spent or a newer release wrote to the stream. Its `done` is `no` unless
   *   the events may be there.
   */
  handle<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    command: Command,
    context: CommandContext,
    options?: HandleOptions,
  ): Promise<Handled<State, Event>>;

  /**
   * What this command appended to the stream when it was given before; undefined when it was not.
   * @throws DomainError IDEMPOTENCY_KEY_REUSED when it was given with another body
   */
  repeat<State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    stream: string,
    context: CommandContext,
  ): Promise<Handled<State, Event> | undefined>;

  /** The stream's state now, every answered append included. */
  load<State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    stream: string,
  ): Promise<{ readonly state: State; readonly revision: Revision | 'none'; readonly position: Position }>;
}

/** Injection token of CommandHandling. */
export const COMMANDS = Symbol('CommandHandling');

const DEFAULT_BUDGET_MS = 5_000;
const DEFAULT_CACHED_STREAMS = 10_000;
const FIRST_BACKOFF_MS = 2;
const LAST_BACKOFF_MS = 50;

/** Command handling over any event store. Streams stay cached by decider and name. */
export function createCommandHandling(options: CommandHandlingOptions): CommandHandling {
  const { store, clock, visible = () => Promise.resolve(), observe = unobserved } = options;
  const cache = new LRUCache<string, object>({ max: options.cachedStreams ?? DEFAULT_CACHED_STREAMS });
  const deciders = new WeakMap<object, number>();
  let decidersSeen = 0;
  const streams = new KeyedMutex();

  const cacheKey = (decider: object, stream: string): string => {
    let number = deciders.get(decider);
    if (number === undefined) {
      number = decidersSeen += 1;
      deciders.set(decider, number);
    }
    return `${number}:${stream}`;
  };

  /** The stream's state with every event that the store has answered by now. */
  const caughtUp = async <State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    stream: string,
  ): Promise<CachedStream<State, Event>> => {
    const key = cacheKey(decider, stream);
    // The key holds the decider's number, so the types are the decider's own.
    const cached =
      (cache.get(key) as CachedStream<State, Event> | undefined) ?? new CachedStream<State, Event>(decider, clock);
    for await (const event of store.readStream(stream, { from: cached.next })) cached.apply(event as Recorded<Event>);
    cache.set(key, cached);
    return cached;
  };

  const recorded = async <Event extends DomainEvent>(
    stream: string,
    first: Revision,
    count: number,
  ): Promise<Recorded<Event>[]> => {
    const events: Recorded<Event>[] = [];
    for await (const event of store.readStream(stream, { from: first, limit: count })) {
      events.push(event as Recorded<Event>);
    }
    return events;
  };

  const metadataOf = (context: CommandContext, traceparent: string | undefined): EventMetadata => ({
    commandId: context.commandId,
    actor: context.actor,
    correlationId: context.correlationId ?? context.commandId,
    causationId: context.causationId ?? context.commandId,
    ...(traceparent === undefined ? {} : { traceparent }),
    at: clock.now().toISOString(),
    ...(context.bodyHash === undefined ? {} : { bodyHash: context.bodyHash }),
  });

  const earlier = async <State, Event extends DomainEvent>(
    cached: CachedStream<State, Event>,
    stream: string,
    context: CommandContext,
  ): Promise<Handled<State, Event> | undefined> => {
    const before = cached.appendedBy(context.commandId);
    if (before === undefined) return undefined;
    const { state, revision, position } = cached;
    const events = await recorded<Event>(stream, before.first, before.count);
    refuseOtherBody(events, context);
    return { state, events, revision, position, repeated: true };
  };

  /** One load, decision and append. Undefined: another writer was first. */
  const attempt = async <State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    command: Command,
    context: CommandContext,
  ): Promise<Handled<State, Event> | undefined> => {
    const cached = await caughtUp(decider, stream);
    const before = await earlier(cached, stream, context);
    if (before !== undefined) return before;
    const { state, revision, position } = cached;
    const decided = decider.decide(command, state);
    if (decided.length === 0) return { state, events: [], revision, position, repeated: false };

    const observed = observe(stream, context.traceparent);
    const metadata = metadataOf(context, observed.traceparent);
    const events = decided.map(({ type, data }, index): NewEvent => ({
      id: stableUuid(context.commandId, stream, index),
      type,
      data,
      metadata,
    }));
    let appended: Appended | undefined;
    try {
      appended = await store.append(stream, revision, events);
      observed.end('appended');
      // Read back: as stored, with the store's own facts, and in the state as a replay would have it.
      const own = await recorded<Event>(stream, appended.revision - events.length + 1, events.length);
      for (const event of own) cached.apply(event);
      const after = own.reduce((current, event) => {
        const { metadata, recordedAt } = factsOf(event);
        return decider.evolve(current, event, metadata.at, recordedAt);
      }, state);
      return { state: after, events: own, ...appended, repeated: false };
    } catch (error) {
      const conflict = error instanceof WrongExpectedRevisionError;
      if (appended === undefined) observed.end(conflict ? 'conflict' : 'failed');
      if (conflict) return undefined;
      cache.delete(cacheKey(decider, stream));
      if (appended !== undefined && error instanceof EventStoreUnavailableError)
        throw unavailable('The change was made, but could not be read back.', 'unknown', error);
      throw error;
    }
  };

  return {
    async handle(decider, stream, command, context, { budgetMs = DEFAULT_BUDGET_MS, waitForReaders = true } = {}) {
      const deadline = clock.monotonic() + budgetMs;
      const handled = await streams.run(stream, async () => {
        for (let conflicts = 0; clock.monotonic() < deadline; conflicts += 1) {
          const result = await attempt(decider, stream, command, context).catch(refuseAsUnavailable);
          if (result !== undefined) return result;
          await delay(Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** conflicts, LAST_BACKOFF_MS));
        }
        throw unavailable(`Others kept writing to ${stream}, or waited for it, for ${budgetMs} ms.`, 'no');
      });
      if (waitForReaders && handled.position !== START) await visible(stream, handled.position);
      return handled;
    },

    async repeat(decider, stream, context) {
      const cached = await caughtUp(decider, stream).catch(refuseAsUnavailable);
      return earlier(cached, stream, context);
    },

    async load(decider, stream) {
      const { state, revision, position } = await caughtUp(decider, stream).catch(refuseAsUnavailable);
      return { state, revision, position };
    },
  };
}

/** Recorded distributes over a union that is not known here; every member of it has these. */
function factsOf(event: object): RecordedFacts {
  return event as RecordedFacts;
}

/** @throws DomainError when the command was given before, with another body */
function refuseOtherBody(events: readonly RecordedFacts[], { bodyHash }: CommandContext): void {
  if (bodyHash === undefined || events.every(({ metadata }) => metadata.bodyHash === bodyHash)) return;
  throw new DomainError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another body.');
}

/** What a client may know goes into the message, what the operator needs into the cause. */
function refuseAsUnavailable(cause: unknown): never {
  if (!(cause instanceof EventStoreUnavailableError || cause instanceof UnknownEventError)) throw cause;
  if (cause instanceof UnknownEventError) throw unavailable(cause.message, 'no', cause);
  const message =
    cause.written === 'no'
      ? 'The event store did not answer; nothing was changed.'
      : 'The event store did not answer; whether the change was made is seen when the request is repeated.';
  throw unavailable(message, cause.written, cause);
}

function unavailable(message: string, done: 'no' | 'unknown', cause?: unknown): UnavailableError {
  const refusal = new UnavailableError(message, undefined, done);
  refusal.cause = cause;
  return refusal;
}
