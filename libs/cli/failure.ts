export interface FailureFacts {
  /** What the command was about to do, as in "could not …". */
  readonly attempt?: string;
  /** Stable: scripts may branch on it. */
  readonly code: string;
  readonly message: string;
  /** What to do next. */
  readonly advice?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Ends a command with exit code 1 and an explanation. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly exitCode: number = 1;
  readonly attempt: string | undefined;
  readonly code: string;
  readonly advice: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(facts: FailureFacts) {
    super(facts.message, { cause: facts.cause });
    this.attempt = facts.attempt;
    this.code = facts.code;
    this.advice = facts.advice;
    this.details = facts.details;
  }
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Failure {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;

  constructor(message: string, advice?: string) {
    super({ code: 'USAGE', message, ...(advice !== undefined && { advice }) });
  }
}

/** The server answered with an error status. */
export class Refusal extends Failure {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    /** From Retry-After. */
    readonly retryAfterSeconds: number | undefined,
    facts: FailureFacts,
  ) {
    super(facts);
  }
}

/** No answer came. */
export class UnreachableError extends Failure {
  override readonly name = 'UnreachableError';
}

/** Ends a command that did its work with another exit code than 0. */
export class ExitCode extends Error {
  override readonly name = 'ExitCode';
  constructor(readonly exitCode: number) {
    super(`exit code ${exitCode}`);
  }
}
