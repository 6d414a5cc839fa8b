import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DocumentStoreUnavailableError, DuplicateRowError } from '../port';
import type { WriteCall, WriteOperations } from './write-operations';

export interface ToWriter {
  readonly calls: readonly WriteCall[];
  readonly close?: boolean;
}

/** Answers stand in the order of the calls; the first message, empty, says that the file is open. */
export type FromWriter = readonly ({ readonly value: unknown } | { readonly error: SentError })[];

export type SentError =
  | { readonly kind: 'duplicate'; readonly collection: string; readonly id: string }
  | { readonly kind: 'unavailable' | 'fault'; readonly message: string };

export interface WriterThread {
  /** Resolves once the transaction that held the call is on disk. */
  call<Method extends keyof WriteOperations>(
    method: Method,
    ...args: Parameters<WriteOperations[Method]>
  ): Promise<ReturnType<WriteOperations[Method]>>;
  /** Waits for the calls in flight. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The one thread of this process that writes to the file. Calls that wait while it commits share
 * the next transaction.
 * @throws DocumentStoreUnavailableError when the file can't be opened and written
 */
export async function startWriterThread(path: string): Promise<WriterThread> {
  const worker = new Worker(require.resolve('./writer.worker'), { workerData: { path } });
  const waiting: Waiting[] = [];
  let unsent: WriteCall[] = [];
  let closing: Promise<void> | undefined;
  const closedError = () => new DocumentStoreUnavailableError(`The document store ${path} is closed.`);
  let ended: DocumentStoreUnavailableError | undefined;

  try {
    await once(worker, 'message');
  } catch (error) {
    throw new DocumentStoreUnavailableError(`The database ${path} can't be opened: ${(error as Error).message}`);
  }

  const end = (reason: DocumentStoreUnavailableError): void => {
    ended ??= reason;
    for (const { reject } of waiting.splice(0)) reject(ended);
  };
  worker.on('error', (error: Error) =>
    end(new DocumentStoreUnavailableError(`The writer of ${path} ended: ${error.message}`)),
  );
  worker.on('exit', () => end(closedError()));
  worker.on('message', (answers: FromWriter) => {
    const answered = waiting.splice(0, answers.length);
    answers.forEach((answer, at) => {
      if ('error' in answer) answered[at]?.reject(received(answer.error));
      else answered[at]?.resolve(answer.value as never);
    });
  });

  const send = (close = false): void => {
    const calls = unsent;
    unsent = [];
    worker.postMessage({ calls, close } satisfies ToWriter);
  };

  const shutDown = async (): Promise<void> => {
    if (ended) return;
    const exited = once(worker, 'exit');
    send(true);
    await exited;
  };

  return {
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        if (ended || closing) {
          reject(ended ?? closedError());
          return;
        }
        waiting.push({ resolve, reject });
        unsent.push({ method, args } as WriteCall);
        if (unsent.length === 1)
          queueMicrotask(() => {
            if (unsent.length > 0) send();
          });
      }),
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
}

function received(error: SentError): Error {
  switch (error.kind) {
    case 'duplicate':
      return new DuplicateRowError(error.collection, error.id);
    case 'unavailable':
      return new DocumentStoreUnavailableError(error.message);
    case 'fault':
      return new Error(error.message);
  }
}
