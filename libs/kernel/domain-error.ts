import type { JsonObject } from './json';

/**
 * A refusal that a client can act on. `code` is stable: clients branch on it and the gateway maps
 * it to a status. It crosses the bus intact.
 */
export class DomainError extends Error {
  constructor(
    readonly code: string,
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

/** An engine or service is away, or an outcome stayed unknown: 503, and the client may try again. */
export class UnavailableError extends DomainError {
  constructor(
    message: string,
    readonly retryAfterSeconds = 1,
    /** `no`: it is certain that nothing of what was asked for was done. */
    readonly done: 'no' | 'unknown' = 'unknown',
  ) {
    super('SERVICE_UNAVAILABLE', message, { retry_after: retryAfterSeconds });
    this.name = 'UnavailableError';
  }
}
