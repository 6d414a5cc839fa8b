import { Worker } from 'node:worker_threads';
import { DocumentStoreUnavailableError } from '../port';
import { isMissingTable, type Fragment, type Record } from './sql';

export interface ToCount extends Fragment {
  readonly id: number;
}

export type Counted =
  { readonly id: number; readonly records: readonly Record[] } | { readonly id: number; readonly fault: string };

export interface CountingThread {
  /** @throws DocumentStoreUnavailableError when the file can't be read, or the thread was closed */
  all(query: Fragment): Promise<readonly Record[]>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (records: readonly Record[]) => void;
  readonly reject: (error: Error) => void;
}

/** Reads what takes long, one query after the other, on a thread that is started by the first one. */
export function openCountingThread(path: string): CountingThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let asked = 0;
  let closed = false;

  const end = (reason: string): void => {
    worker = undefined;
    const error = new DocumentStoreUnavailableError(`The document store ${path} ${reason}`);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    const started = new Worker(require.resolve('./counting.worker'), { workerData: { path } });
    started.on('message', (answer: Counted) => {
      const asker = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('records' in answer) asker?.resolve(answer.records);
      else asker?.reject(faultOf(answer.fault));
    });
    started.on('error', (error: Error) => end(`could not be counted in: ${error.message}`));
    started.on('exit', () => {
      if (worker === started) end('is closed.');
    });
    return started;
  };

  return {
    all: ({ sql, values }) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new DocumentStoreUnavailableError(`The document store ${path} is closed.`));
          return;
        }
        worker ??= start();
        asked += 1;
        waiting.set(asked, { resolve, reject });
        worker.postMessage({ id: asked, sql, values } satisfies ToCount);
      }),
    close: async () => {
      closed = true;
      await worker?.terminate();
    },
  };
}

/** A table that is gone with its generation is the asker's to look for again. */
function faultOf(message: string): Error {
  const error = new Error(message);
  return isMissingTable(error)
    ? error
    : new DocumentStoreUnavailableError(`The database could not be read: ${message}.`);
}
