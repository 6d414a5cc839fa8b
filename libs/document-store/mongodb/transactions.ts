import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, MongoError, MongoErrorLabel, type TransactionOptions } from 'mongodb';

/**
 * All reads of a transaction are of one state: under `local`, the default, MongoDB promises none, and two sums
 * could be made from the same row. Acknowledged by a majority and in its journals.
 */
const OPTIONS: TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
};
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 500;

/**
 * Runs an action in a transaction and commits it; repeats it after a conflict with another transaction. Begins,
 * repeats and commits nothing once the signal is aborted: the caller took the call for failed then.
 *
 * The driver's own `withTransaction` continues for 120 s whatever the caller's patience is: its `timeoutMS` has no
 * effect (7.9.0).
 * @throws the signal's reason, or what the action or the driver throws
 */
export async function inTransaction<T>(
  session: ClientSession,
  signal: AbortSignal,
  action: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    session.startTransaction(OPTIONS);
    try {
      const result = await action();
      signal.throwIfAborted();
      await commit(session, signal);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      if (!isLabelled(error, MongoErrorLabel.TransientTransactionError)) throw error;
    }
    await backOff(attempt);
  }
}

/** A commit whose outcome is unknown may be sent again: the server carries it out once. */
async function commit(session: ClientSession, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!isLabelled(error, MongoErrorLabel.UnknownTransactionCommitResult)) throw error;
    }
    await backOff(attempt);
    signal.throwIfAborted();
  }
}

const isLabelled = (error: unknown, label: MongoErrorLabel): boolean =>
  error instanceof MongoError && error.hasErrorLabel(label);

const backOff = (attempt: number): Promise<void> =>
  pause(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.5 ** attempt));
