import { Worker } from 'node:worker_threads';
import { UnavailableError } from '@sluice/kernel';
import type { RsaAnswer, RsaTasks } from './rsa.worker';

interface Waiting {
  readonly resolve: (reply: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread for RSA, which performs its tasks one after the other. Neither the event loop nor libuv's pool, which the
 * file system needs, waits for them. It is started by the first task, and started again after it failed.
 */
export class RsaThread {
  private readonly waiting = new Map<number, Waiting>();
  private worker: Worker | undefined;
  private lastId = 0;
  private isClosed = false;

  /** @throws UnavailableError when the thread ended before it answered, or was closed */
  run<Name extends keyof RsaTasks>(name: Name, request: RsaTasks[Name]['request']): Promise<RsaTasks[Name]['reply']> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(ended());
        return;
      }
      this.worker ??= this.start();
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve, reject });
      this.worker.postMessage({ id: this.lastId, name, request });
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(require.resolve('./rsa.worker'));
    const end = (error: Error): void => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    };
    worker.on('message', (answer: RsaAnswer) => {
      const asker = this.waiting.get(answer.id);
      this.waiting.delete(answer.id);
      if ('fault' in answer) asker?.reject(new Error(answer.fault));
      else asker?.resolve(answer.reply as never);
    });
    worker.once('error', (error) => end(ended(error)));
    worker.once('exit', () => end(ended()));
    // What asks for a task holds the process; a thread without one does not.
    worker.unref();
    return worker;
  }
}

function ended(cause?: Error): UnavailableError {
  const error = new UnavailableError('The thread for RSA keys ended before it answered. Try again.', 1, 'no');
  error.cause = cause;
  return error;
}
