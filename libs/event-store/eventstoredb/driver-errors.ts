import {
  AccessDeniedError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnsupportedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  EventStoreUnavailableError,
  type ExpectedRevision,
  InvalidAppendError,
  WrongExpectedRevisionError,
} from '../port';

/** After these the server has looked at the call and will answer it the same way again. */
const FINAL = [AccessDeniedError, InvalidArgumentError, StreamDeletedError, UnsupportedError];

/** A call that took longer than it may. */
export class SilentError extends Error {
  override readonly name = 'SilentError';
}

/**
 * What a failed append means: the port's error when the outcome is known, else undefined: it has
 * to be repeated, as it was. Errors are told apart by class alone; their messages are empty or
 * change. All that is not known to be final counts as unknown: a server that is down, stopping,
 * restarting or overloaded answers in half a dozen ways, and a fifth of the appends that failed by a lost
 * connection had been written.
 *
 * @param doubtful whether an earlier, identical attempt may have been written
 */
export function knownOutcome(
  error: unknown,
  stream: string,
  expected: ExpectedRevision,
  doubtful: boolean,
): Error | undefined {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    return new WrongExpectedRevisionError(
      stream,
      expected,
      typeof actualVersion === 'bigint' ? Number(actualVersion) : 'none',
    );
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new InvalidAppendError(`An append to ${stream} is larger than this server takes.`, { cause: error });
  }
  return FINAL.some((kind) => error instanceof kind) ? unavailable(error, doubtful ? 'unknown' : 'no') : undefined;
}

/** The port's error for whatever a call failed with. */
export function unavailable(error: unknown, written: 'no' | 'unknown' = 'no'): EventStoreUnavailableError {
  if (error instanceof EventStoreUnavailableError) return error;
  const { name = 'Error', type, code } = error as { name?: string; type?: unknown; code?: unknown };
  const kind = typeof type === 'string' ? type : typeof code === 'number' ? `gRPC status ${code}` : name;
  return new EventStoreUnavailableError(`EventStoreDB did not do what it was asked: ${kind}.`, written, {
    cause: error,
  });
}
