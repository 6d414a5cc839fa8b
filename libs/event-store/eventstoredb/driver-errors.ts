import {
  AccessDeniedError,
  DeadlineExceededError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  UnavailableError,
  UnsupportedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { TimeoutError } from '@sluice/kernel';
import {
  EventStoreUnavailableError,
  type ExpectedRevision,
  InvalidAppendError,
  type UnavailableReason,
  WrongExpectedRevisionError,
} from '../port';

/** After these the server has looked at the call and will answer it the same way again. */
const FINAL = [AccessDeniedError, InvalidArgumentError, StreamDeletedError, UnsupportedError];

/** The status with which gRPC gives on that the server wants another user or password. */
const UNAUTHENTICATED = 16;

const SAID: Readonly<Record<UnavailableReason, string>> = {
  no_connection: 'No connection to EventStoreDB. See whether it runs, and whether EVENT_STORE_URL names it.',
  no_answer: 'EventStoreDB did not answer in time.',
  no_leader: 'EventStoreDB has no leader at present, or its node is not ready yet.',
  wrong_credentials: 'EventStoreDB rejected the user or the password in EVENT_STORE_URL.',
  access_denied:
    'EventStoreDB denied access. The user in EVENT_STORE_URL must be allowed to read $all, and to read and write streams.',
  untrusted_certificate:
    'The TLS certificate of EventStoreDB is not trusted. It must be valid, name the host of EVENT_STORE_URL, and come from a known authority (tlsCAFile).',
};

/** A call took longer than it may. */
export function isSilence(error: unknown): boolean {
  return error instanceof TimeoutError || error instanceof DeadlineExceededError;
}

/**
 * What a failed append means: the port's error when the outcome is known, else undefined: it has
 * to be repeated, as it was. Errors are distinguished by class alone; their messages are empty or
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
export function unavailable(
  error: unknown,
  written: 'no' | 'unknown' = 'no',
  reason: UnavailableReason | undefined = reasonOf(error),
): EventStoreUnavailableError {
  if (error instanceof EventStoreUnavailableError && error.reason === reason) return error;
  const { name = 'Error', type, code } = error as { name?: string; type?: unknown; code?: unknown };
  const kind = typeof type === 'string' ? type : typeof code === 'number' ? `gRPC status ${code}` : name;
  const message = reason === undefined ? `EventStoreDB operation failed: ${kind}.` : SAID[reason];
  return new EventStoreUnavailableError(message, written, { cause: error, reason });
}

/**
 * Undefined: none of those that an operator can do something about. What only the text of a status distinguishes, of
 * the server and of TLS, is for the operator's eyes: nothing is decided by it.
 */
function reasonOf(error: unknown): UnavailableReason | undefined {
  if (error instanceof EventStoreUnavailableError) return error.reason;
  if (error instanceof AccessDeniedError)
    return Number(error.code) === UNAUTHENTICATED ? 'wrong_credentials' : 'access_denied';
  if (isSilence(error)) return 'no_answer';
  const { message = '' } = error as { message?: string };
  if (error instanceof NotLeaderError || /no leader info|server is not ready/i.test(message)) return 'no_leader';
  if (/certificate|altnames|\bSSL\b|\bEPROTO\b/i.test(message)) return 'untrusted_certificate';
  if (error instanceof UnavailableError || message.startsWith('Failed to discover')) return 'no_connection';
  return undefined;
}
