import { type Appended, EventStoreUnavailableError, type ExpectedRevision, WrongExpectedRevisionError } from '../port';
import type { SerializedEvent } from '../serialized-event';
import { type Append, NO_EVENTS, type Outcome } from './group-writer';
import { OrderedThread } from './ordered-thread';

/** The calling side of the one thread that writes. Appends of one turn of the event loop travel together. */
export class AppendThread {
  readonly #thread: OrderedThread<Append, Outcome>;

  constructor(
    private readonly path: string,
    onAppended: (streams: readonly string[]) => void,
  ) {
    this.#thread = new OrderedThread({
      ...{ script: require.resolve('./append.worker'), path, defer: setImmediate, unrefIdle: true },
      closed: () => this.#unavailable('It was closed.', 'no'),
      died: (fault = 'The thread that writes events ended.', opened) =>
        this.#unavailable(fault, opened ? 'unknown' : 'no'),
      answered: (appends, outcomes) => {
        const streams = appends.flatMap(({ stream }, at) => (outcomes[at]?.kind === 'appended' ? [stream] : []));
        if (streams.length > 0) onAppended(streams);
      },
    });
  }

  /** Opens the file and makes the schema of a new one. */
  open(): Promise<void> {
    return this.#thread.open();
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly SerializedEvent[]): Promise<Appended> {
    const revision = expected === 'none' ? NO_EVENTS : expected;
    const outcome = await this.#thread.ask({ stream, expected: revision, events });
    switch (outcome.kind) {
      case 'appended':
        return { revision: outcome.revision, position: outcome.position };
      case 'conflict':
        throw new WrongExpectedRevisionError(stream, expected, outcome.actual === NO_EVENTS ? 'none' : outcome.actual);
      case 'failed':
        throw this.#unavailable(outcome.message, outcome.written);
    }
  }

  /** Waits for the appends in flight and ends the thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #unavailable(reason: string, written: 'no' | 'unknown'): EventStoreUnavailableError {
    return new EventStoreUnavailableError(`The event store ${this.path} can't be written: ${reason}`, written);
  }
}
