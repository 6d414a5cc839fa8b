import { MongoBulkWriteError, MongoCompatibilityError, MongoError, MongoServerError } from 'mongodb';
import { DocumentStoreUnavailableError } from '../port';
import { saysDuplicate } from './ferretdb';

/**
 * A unique index, that of `_id` included, holds the values already, and nothing else failed: a bulk write may
 * reject each of its operations for another reason.
 */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  const failed = writeErrorsOf(error);
  return failed.length === 0
    ? holdsValues(error.code, error.message)
    : failed.every(({ code, errmsg = '' }) => holdsValues(code, errmsg));
}

function holdsValues(code: unknown, message: string): boolean {
  return code === 11_000 || saysDuplicate(message);
}

/** The server knows no collection of this name yet. */
export function isMissingCollection(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 26;
}

/** Of a bulk write that `isDuplicate`: which of its operations found their values held. Empty: the server does not say. */
export function refusedOperations(error: unknown): readonly number[] {
  return writeErrorsOf(error).map(({ index }) => index);
}

function writeErrorsOf(error: unknown) {
  return error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
}

/** IllegalOperation, FailedToParse, CommandNotFound, InvalidOptions, CommandNotSupported, NotImplemented, and an unknown member. */
const WITHOUT_TRANSACTIONS: readonly unknown[] = [20, 9, 59, 72, 115, 238, 40_415];

/** The server has no transactions, and will not have any later. */
export function lacksTransactions(error: unknown): error is MongoError {
  if (error instanceof MongoCompatibilityError) return true;
  return error instanceof MongoServerError && WITHOUT_TRANSACTIONS.includes(error.code);
}

/** Whatever the driver throws means: try again later. Its message names the server, never a password. */
export function translated(error: unknown): unknown {
  return error instanceof MongoError
    ? new DocumentStoreUnavailableError(`MongoDB could not do it: ${error.message}`, { cause: error })
    : error;
}
