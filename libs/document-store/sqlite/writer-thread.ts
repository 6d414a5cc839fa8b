import { OrderedThread } from '@sluice/event-store/sqlite/ordered-thread';
import { DocumentStoreUnavailableError, DuplicateRowError } from '../port';
import type { WriteCall, WriteOperations } from './write-operations';

export type FromWriter = { readonly value: unknown } | { readonly error: SentError };

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

/**
 * Starts the one thread of this process that writes to the file. Calls that wait while it commits
 * share the next transaction.
 * @throws DocumentStoreUnavailableError when the file can't be opened and written
 */
export async function startWriterThread(path: string): Promise<WriterThread> {
  const thread = new OrderedThread<WriteCall, FromWriter>({
    ...{ script: require.resolve('./writer.worker'), path, defer: queueMicrotask },
    closed: () => new DocumentStoreUnavailableError(`The document store ${path} is closed.`),
    died: (fault = 'its thread ended', opened) =>
      new DocumentStoreUnavailableError(`The database ${path} can't be ${opened ? 'written' : 'opened'}: ${fault}`),
  });
  await thread.open();
  return {
    call: async (method, ...args) => {
      const reply = await thread.ask({ method, args } as WriteCall);
      if ('error' in reply) throw received(reply.error);
      return reply.value as never;
    },
    close: () => thread.close(),
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
