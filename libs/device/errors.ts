import type { Reason } from './verifier.js';

/** What went wrong; `message` has the details. */
export type UpdateErrorCode =
  /** An option is missing or invalid. */
  | 'invalid_options'
  /** The address of a preview lacks a value, has an invalid one, or names a server that the app does not accept. */
  | 'invalid_preview'
  /** `start()` was not called before. */
  | 'not_started'
  /** The bundle that runs is not confirmed yet, and no other can be installed before. */
  | 'unconfirmed'
  /** Another page or process is downloading. */
  | 'busy'
  /** The caller's signal aborted the call. */
  | 'aborted'
  /** The network failed on every attempt. */
  | 'unreachable'
  /** The server was busy or failing on every attempt: 429 or 5xx. See `retryAfterMs`. */
  | 'unavailable'
  /** The server rejected the request. See `status` and `serverCode`. */
  | 'rejected'
  /** The channel was deleted, or has expired. */
  | 'channel_closed'
  /** A response or a bundle failed verification. See `reason`. */
  | 'untrusted'
  /** The storage failed. See `cause`. */
  | 'storage'
  /** An archive is not a zip that `unzip` accepts. */
  | 'invalid_zip';

/** Further facts of an error. */
export interface UpdateErrorFacts {
  readonly cause?: unknown;
  /** Of the response. */
  readonly status?: number;
  /** `error.code` of the response, for example `INVALID_API_KEY`. */
  readonly serverCode?: string;
  /** How long to wait before the next call, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Why verification failed. */
  readonly reason?: Reason;
}

/** Every error of this package. */
export class UpdateError extends Error {
  override readonly name = 'UpdateError';
  readonly status: number | undefined;
  readonly serverCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly reason: Reason | undefined;

  constructor(
    readonly code: UpdateErrorCode,
    message: string,
    { cause, status, serverCode, retryAfterMs, reason }: UpdateErrorFacts = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.serverCode = serverCode;
    this.retryAfterMs = retryAfterMs;
    this.reason = reason;
  }

  /** Whether the same call may succeed later. */
  get isTransient(): boolean {
    return this.code === 'unreachable' || this.code === 'unavailable';
  }
}

/** The message of whatever was thrown; of its cause, if there is one: `fetch` hides the reason there. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
}
