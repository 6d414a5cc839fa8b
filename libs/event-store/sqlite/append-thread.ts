import { Worker } from 'node:worker_threads';
import { type Appended, EventStoreUnavailableError, type ExpectedRevision, WrongExpectedRevisionError } from '../port';
import type { SerializedEvent } from '../serialized-event';
import { type Append, NO_EVENTS, type Outcome } from './group-writer';

/** To the thread. With `close` it ends after these appends. */
export interface AppendMessage {
  readonly appends: readonly Append[];
  readonly close: boolean;
}

/** From the thread: outcomes come in the order of the appends. */
export type ThreadMessage =
  { readonly kind: 'opened' } | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[] };

interface Waiting {
  readonly append: Append;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The calling side of the one thread that writes. Appends of one turn of the event loop travel
 * together; the thread commits together what has arrived while it was busy.
 */
export class AppendThread {
  #worker: Worker | undefined;
  #exited = Promise.resolve();
  #unsent: Waiting[] = [];
  #sent: Waiting[] = [];
  #closed = false;

  constructor(
    private readonly path: string,
    private readonly onAppended: (streams: readonly string[]) => void,
  ) {}

  /** Opens the file and makes the schema of a new one. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(require.resolve('./append.worker'), { workerData: { path: this.path } });
      this.#worker = worker;
      let opened = false;
      let failure = 'The thread that writes events ended.';
      worker.on('error', (error) => (failure = error.message));
      worker.on('message', (message: ThreadMessage) => {
        if (message.kind === 'opened') {
          opened = true;
          resolve();
        } else this.#settle(message.outcomes);
        // Appends in flight keep the process alive, an idle thread does not.
        if (this.#sent.length === 0) worker.unref();
      });
      this.#exited = new Promise((exited) => {
        worker.on('exit', () => {
          this.#worker = undefined;
          const error = this.#unavailable(failure, opened ? 'unknown' : 'no');
          for (const waiting of this.#sent.splice(0)) waiting.reject(error);
          reject(error);
          exited();
        });
      });
    });
  }

  append(stream: string, expected: ExpectedRevision, events: readonly SerializedEvent[]): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(this.#unavailable('It was closed.', 'no'));
        return;
      }
      if (this.#unsent.length === 0) setImmediate(() => this.#send());
      const append = { stream, expected: expected === 'none' ? NO_EVENTS : expected, events };
      this.#unsent.push({ append, resolve, reject });
    });
  }

  /** Waits for the appends in flight and ends the thread. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#send();
      this.#post({ appends: [], close: true });
    }
    await this.#exited;
  }

  #send(): void {
    const waiting = this.#unsent.splice(0);
    if (waiting.length === 0) return;
    // A thread that died is started anew; if that fails too, its end rejects these.
    if (this.#worker === undefined) this.open().catch(() => undefined);
    this.#sent.push(...waiting);
    this.#post({ appends: waiting.map(({ append }) => append), close: false });
  }

  #post(message: AppendMessage): void {
    this.#worker?.ref();
    this.#worker?.postMessage(message);
  }

  #settle(outcomes: readonly Outcome[]): void {
    const settled = this.#sent.splice(0, outcomes.length);
    const streams: string[] = [];
    outcomes.forEach((outcome, index) => {
      const waiting = settled[index];
      if (waiting === undefined) return;
      const { stream, expected } = waiting.append;
      switch (outcome.kind) {
        case 'appended':
          streams.push(stream);
          waiting.resolve({ revision: outcome.revision, position: outcome.position });
          break;
        case 'conflict':
          waiting.reject(new WrongExpectedRevisionError(stream, toExpected(expected), toExpected(outcome.actual)));
          break;
        case 'failed':
          waiting.reject(this.#unavailable(outcome.message, outcome.written));
      }
    });
    if (streams.length > 0) this.onAppended(streams);
  }

  #unavailable(reason: string, written: 'no' | 'unknown'): EventStoreUnavailableError {
    return new EventStoreUnavailableError(`The event store ${this.path} can't be written: ${reason}`, written);
  }
}

function toExpected(revision: number): ExpectedRevision {
  return revision === NO_EVENTS ? 'none' : revision;
}
