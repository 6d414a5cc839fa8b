import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb';
import { DocumentStoreUnavailableError } from '../port';

/** A unique index, that of `_id` included, holds the values already. FerretDB tells it of an update by its message alone. */
export function isDuplicate(error: unknown): boolean {
  return (
    error instanceof MongoServerError && (error.code === 11_000 || error.message.includes('UNIQUE constraint failed'))
  );
}

/** The server knows no collection of this name yet. */
export function isMissingCollection(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 26;
}

/** Of a bulk write: which of its operations found their values held. Empty: the server does not say. */
export function refusedOperations(error: unknown): readonly number[] {
  if (!(error instanceof MongoBulkWriteError)) return [];
  return [error.writeErrors].flat().map(({ index }) => index);
}

/** Whatever the driver throws means: try again later. Its message names the server, never a password. */
export function translated(error: unknown): unknown {
  return error instanceof MongoError
    ? new DocumentStoreUnavailableError(`MongoDB could not do it: ${error.message}`, { cause: error })
    : error;
}
