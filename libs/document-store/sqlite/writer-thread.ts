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
  readonly call: WriteCall;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts the one thread of this process that writes to the file. Calls that wait while it commits
 * share the next transaction. A thread that dies fails the calls in flight, whose outcome is unknown
 * then, and is started anew by the next call.
 * @throws DocumentStoreUnavailableError when the file can't be opened and written
 */
export async function startWriterThread(path: string): Promise<WriterThread> {
  let worker: Worker | undefined;
  let exited = Promise.resolve();
  let unsent: Waiting[] = [];
  const sent: Waiting[] = [];
  let closing: Promise<void> | undefined;

  const fail = (error: Error): void => {
    for (const waiting of sent.splice(0)) waiting.reject(error);
  };

  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const thread = new Worker(require.resolve('./writer.worker'), { workerData: { path } });
      worker = thread;
      let fault = `The database ${path} can't be opened`;
      let reason = 'its thread ended';
      thread.on('message', (answers: FromWriter) => {
        fault = `The database ${path} can't be written`;
        resolve();
        for (const answer of answers) {
          const waiting = sent.shift();
          if ('error' in answer) waiting?.reject(received(answer.error));
          else waiting?.resolve(answer.value as never);
        }
      });
      thread.on('error', ({ message }: Error) => (reason = message));
      exited = new Promise((ended) => {
        thread.on('exit', () => {
          worker = undefined;
          const error = new DocumentStoreUnavailableError(`${fault}: ${reason}`);
          fail(error);
          reject(error);
          ended();
        });
      });
    });

  const send = (close = false): void => {
    if (worker === undefined && unsent.length > 0) open().catch(fail);
    const calls = unsent.map(({ call }) => call);
    sent.push(...unsent);
    unsent = [];
    worker?.postMessage({ calls, close } satisfies ToWriter);
  };

  await open();
  return {
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        if (closing) {
          reject(new DocumentStoreUnavailableError(`The document store ${path} is closed.`));
          return;
        }
        unsent.push({ call: { method, args } as WriteCall, resolve, reject });
        if (unsent.length === 1) {
          queueMicrotask(() => {
            if (unsent.length > 0) send();
          });
        }
      }),
    close: () => {
      if (!closing) {
        send(true);
        closing = exited;
      }
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
