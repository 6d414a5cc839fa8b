import { parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads';

interface ToThread<Request> {
  readonly requests: readonly Request[];
  /** The thread ends after these requests. */
  readonly close: boolean;
}

export interface OrderedThreadOptions<Request, Reply> {
  /** The file that the thread runs. It calls `serveInOrder`, and is given `path` as its data. */
  readonly script: string;
  readonly path: string;
  /** Delays the sending of the first request of a batch, so that those made meanwhile travel with it. */
  readonly defer: (send: () => void) => void;
  /** Why a request is rejected: the thread was closed before. */
  readonly closed: () => Error;
  /** Why the requests in flight are rejected: the thread died, of a fault or without one, perhaps before it had opened. */
  readonly died: (fault: string | undefined, opened: boolean) => Error;
  /** Called with each batch of replies, after its requests are settled. */
  readonly answered?: (requests: readonly Request[], replies: readonly Reply[]) => void;
  /** Requests in flight keep the process alive, an idle thread does not. Default: it does until it is closed. */
  readonly unrefIdle?: boolean;
}

interface Waiting<Request, Reply> {
  readonly request: Request;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One thread that answers requests in their order, those that come while it is busy together. A thread that dies fails
 * the requests in flight, whose outcome is unknown then; the next request starts another.
 */
export class OrderedThread<Request, Reply> {
  #worker: Worker | undefined;
  #exited = Promise.resolve();
  #unsent: Waiting<Request, Reply>[] = [];
  readonly #sent: Waiting<Request, Reply>[] = [];
  #closed = false;

  constructor(private readonly options: OrderedThreadOptions<Request, Reply>) {}

  /** Resolves once the thread serves requests. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { script, path, died, unrefIdle = false } = this.options;
      const worker = (this.#worker = new Worker(script, { workerData: { path } }));
      let opened = false;
      let fault: string | undefined;
      worker.on('error', ({ message }: Error) => (fault = message));
      worker.on('message', (replies: readonly Reply[]) => {
        opened = true;
        resolve();
        this.#settle(replies);
        if (unrefIdle && this.#sent.length === 0) worker.unref();
      });
      this.#exited = new Promise((exited) => {
        worker.on('exit', () => {
          this.#worker = undefined;
          const error = died(fault, opened);
          this.#fail(error);
          reject(error);
          exited();
        });
      });
    });
  }

  ask(request: Request): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(this.options.closed());
        return;
      }
      if (this.#unsent.push({ request, resolve, reject }) > 1) return;
      this.options.defer(() => {
        if (this.#unsent.length > 0) this.#send(false);
      });
    });
  }

  /** Waits for the requests in flight and ends the thread. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#send(true);
    }
    await this.#exited;
  }

  #send(close: boolean): void {
    const waiting = this.#unsent;
    this.#unsent = [];
    if (this.#worker === undefined && waiting.length > 0)
      this.open().catch((error: unknown) => this.#fail(error as Error));
    this.#sent.push(...waiting);
    this.#worker?.ref();
    this.#worker?.postMessage({ requests: waiting.map(({ request }) => request), close } satisfies ToThread<Request>);
  }

  #settle(replies: readonly Reply[]): void {
    const settled = this.#sent.splice(0, replies.length);
    settled.forEach(({ resolve }, at) => resolve(replies[at] as Reply));
    this.options.answered?.(
      settled.map(({ request }) => request),
      replies,
    );
  }

  #fail(error: Error): void {
    for (const { reject } of this.#sent.splice(0)) reject(error);
  }
}

/**
 * In the thread, once it is open: answers requests as they come.
 * @param most how many requests may be answered together before the next message is waited for
 * @param answer replies in the order of the requests; never throws
 */
export function serveInOrder(
  most: number,
  answer: (requests: readonly never[]) => readonly unknown[],
  close: () => void,
): void {
  const port = parentPort;
  if (port === null) throw new Error('This file runs as a worker thread of an engine in SQLite.');
  port.on('message', (first: ToThread<never>) => {
    const requests = [...first.requests];
    let closing = first.close;
    while (!closing && requests.length < most) {
      const next = receiveMessageOnPort(port) as { readonly message: ToThread<never> } | undefined;
      if (next === undefined) break;
      requests.push(...next.message.requests);
      closing = next.message.close;
    }
    if (requests.length > 0) port.postMessage(answer(requests));
    if (!closing) return;
    close();
    port.close();
  });
  port.postMessage([]);
}
