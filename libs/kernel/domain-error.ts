import type { ErrorCode } from './error-code';
import type { JsonObject } from './json';

/**
 * A refusal that a client can act on: clients branch on `code`. It crosses the bus intact.
 */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: JsonObject,
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

/** The code under which a ValidationError crosses walls; its `details.errors` maps field to messages. */
export const VALIDATION_FAILED = 'VALIDATION_FAILED';

/** Input whose fields are wrong: answered as 422 with a message per field. */
export class ValidationError extends DomainError {
  /** @param faults how many there are, where `errors` does not list them all */
  constructor(
    readonly errors: Readonly<Record<string, readonly string[]>>,
    faults = 0,
  ) {
    const listed = Object.values(errors).reduce((count, messages) => count + messages.length, 0);
    const more = faults > listed ? ` It has ${faults} faults; ${listed} of them are listed.` : '';
    super(VALIDATION_FAILED, `The given data was invalid.${more}`, { errors });
    this.name = 'ValidationError';
  }
}

/** An engine or service is unavailable, or an outcome is unknown: 503, and the client may retry. */
export class UnavailableError extends DomainError {
  constructor(
    message: string,
    readonly retryAfterSeconds = 1,
    /** `no`: it is certain that no part of the request was done. */
    readonly done: 'no' | 'unknown' = 'unknown',
  ) {
    super('SERVICE_UNAVAILABLE', message, { retry_after: retryAfterSeconds });
    this.name = 'UnavailableError';
  }
}

/** An engine could not be reached, or did not do its work. The message is only for the log. */
export abstract class EngineUnavailableError extends Error {
  /** Such as `event store`. */
  abstract readonly engine: string;
}

/** An engine or a service is unavailable: the same may succeed later. */
export function isUnavailable(error: unknown): error is UnavailableError | EngineUnavailableError {
  return error instanceof UnavailableError || error instanceof EngineUnavailableError;
}

/** Another worker holds the lease, or the work that it was taken for has ended. Never an answer to a client. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError';
}
