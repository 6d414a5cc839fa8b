import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { DomainError, VALIDATION_FAILED, type JsonObject } from '@sluice/kernel';
import { unsupportedMediaType } from './json-body';

/** What went wrong, before a plane puts it into its envelope. */
export interface Fault {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  readonly message: string;
  /** Of a validation failure: `errors`, messages by field. */
  readonly details: JsonObject;
  /** The fault is ours: the log gets it under `details.error_id`. */
  readonly unexpected: boolean;
}

/** What a client is told: the error envelope, or the body of a validation failure (spec 1, Errors). */
export interface ErrorReply {
  readonly status: number;
  /** The fault's code, whatever the plane calls it in the body. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The fault is ours: the log gets it under `details.error_id`. */
  readonly unexpected: boolean;
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  [VALIDATION_FAILED]: 422,
  INVALID_JSON: 400,
  invalid_state: 400,
  access_denied: 400,
  INVALID_MULTIPART: 400,
  INVALID_REQUEST: 400,
  MISSING_DEVICE_ID: 400,
  MISSING_ACCESS_TOKEN: 401,
  INVALID_ACCESS_TOKEN_FORMAT: 401,
  INVALID_ACCESS_TOKEN_CHECKSUM: 401,
  ACCESS_TOKEN_NOT_FOUND: 401,
  ACCESS_TOKEN_INVALID: 401,
  MISSING_OWNER_KEY: 401,
  INVALID_OWNER_KEY: 401,
  SESSION_ENDED: 401,
  MISSING_API_KEY: 401,
  INVALID_API_KEY_FORMAT: 401,
  INVALID_API_KEY: 401,
  TOKEN_PERMISSION_DENIED: 403,
  OPERATOR_ONLY: 403,
  OWNER_SUSPENDED: 403,
  CSRF_REFUSED: 403,
  API_KEY_RESTRICTED: 403,
  module_disabled: 403,
  entitlement_required: 403,
  DOWNLOAD_URL_INVALID: 403,
  NOT_FOUND: 404,
  APP_NOT_FOUND: 404,
  BUILD_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  KEYSTORE_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  TOKEN_NOT_FOUND: 404,
  OWNER_NOT_FOUND: 404,
  PROJECTION_NOT_FOUND: 404,
  VERSION_ALREADY_EXISTS: 409,
  BUNDLE_ID_TAKEN: 409,
  PROJECTION_BUSY: 409,
  store_not_configured: 409,
  PLAINTEXT_UNAVAILABLE: 409,
  KEY_REVOKED: 409,
  TOKEN_REVOKED: 409,
  OPERATOR_NOT_SUSPENDABLE: 409,
  SIGNING_KEY_EXISTS: 409,
  NO_ACTIVE_SIGNING_KEY: 409,
  FINGERPRINT_MISMATCH: 409,
  TOO_MANY_DATA_KEY_VERSIONS: 409,
  TOO_MANY_FORMER_SIGNING_KEYS: 409,
  SIGNING_KEY_ACTIVE: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  sync_already_running: 409,
  not_connected: 409,
  reauth_required: 409,
  oauth_client_missing: 409,
  account_not_chosen: 409,
  account_inaccessible: 409,
  BUILD_CHANGED: 412,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  HEADERS_TOO_LARGE: 431,
  VERSION_NOT_NEWER: 422,
  ALREADY_IN_CHANNEL: 422,
  APP_LIMIT_REACHED: 422,
  STORAGE_LIMIT_REACHED: 422,
  TOKEN_LIMIT_REACHED: 422,
  MAX_KEYS_REACHED: 422,
  BUILD_NOT_READY: 422,
  KEYSTORE_MUST_BE_ZIP: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  UPLOAD_RATE_LIMITED: 429,
  KEY_ACTION_RATE_LIMITED: 429,
  TOO_MANY_STREAMS: 429,
  remote_quota_exceeded: 429,
  UPLOAD_FAILED: 500,
  remote_unavailable: 502,
  remote_api_sunset: 502,
  store_unavailable: 502,
  SERVICE_UNAVAILABLE: 503,
};

/** The status under which a refusal with this code is answered; undefined for a code that nobody declared. */
export function statusOfCode(code: string): number | undefined {
  return STATUS_BY_CODE[code];
}

const NOT_FOUND = new DomainError('NOT_FOUND', 'There is nothing at this address.');
const TOO_LARGE = new DomainError('PAYLOAD_TOO_LARGE', 'The body is larger than this operation takes.');

const FRAMEWORK_REFUSALS: Readonly<Record<number, DomainError>> = {
  400: new DomainError(
    'INVALID_REQUEST',
    'The request is malformed: its address is no valid path, or its body is not as long as it says.',
  ),
  404: NOT_FOUND,
  413: TOO_LARGE,
  // A part of the address is longer than any name.
  414: NOT_FOUND,
  415: unsupportedMediaType('application/json, or multipart/form-data for an upload'),
};

/** What a refusal of Fastify, or of Nest, which hands those on, means; undefined for a status that neither refuses with. */
export function frameworkRefusal(status: number): DomainError | undefined {
  return FRAMEWORK_REFUSALS[status];
}

const UNAVAILABLE = new Set([
  'EventStoreUnavailableError',
  'DocumentStoreUnavailableError',
  'ObjectStoreUnavailableError',
]);

/** What ends a body on its way; one of a request has the status 400 from Fastify, too. */
const CLIENT_LEFT: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether this ended a body on its way to a client that has left: no fault of the server, and nobody awaits an answer. */
export function clientLeft(error: unknown, response: Pick<ServerResponse, 'destroyed' | 'writableEnded'>): boolean {
  return (
    (response.destroyed || response.writableEnded) &&
    CLIENT_LEFT.has((error as { readonly code?: unknown } | null)?.code)
  );
}

function asRefusal(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (!(error instanceof Error)) return undefined;
  if (UNAVAILABLE.has(error.name)) {
    return new DomainError('SERVICE_UNAVAILABLE', 'A part of the server is away. Try again shortly.', {
      retry_after: 1,
    });
  }
  if (error.name === 'PacketTooLargeError') return TOO_LARGE;
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  // A method that no route has, refused before its address is looked at.
  if (typeof code === 'string' && code.startsWith('FST_ERR_ROUTE_MISSING_CONTENT')) return NOT_FOUND;
  if (CLIENT_LEFT.has(code) && statusCode === 400) return frameworkRefusal(400);
  const fastifys = typeof code === 'string' && code.startsWith('FST_ERR_') && typeof statusCode === 'number';
  return fastifys ? frameworkRefusal(statusCode) : undefined;
}

/** What whatever was thrown means for a client; never tells a stack. */
export function faultOf(error: unknown): Fault {
  const refusal = asRefusal(error);
  const status = refusal === undefined ? undefined : STATUS_BY_CODE[refusal.code];
  if (refusal === undefined || status === undefined) {
    return {
      status: 500,
      headers: {},
      code: 'INTERNAL_ERROR',
      message: 'Something went wrong on the server. Its log tells more under this error_id.',
      details: { error_id: randomUUID() },
      unexpected: true,
    };
  }
  const { retry_after: retryAfter, ...details } = refusal.details ?? {};
  return {
    status,
    headers: typeof retryAfter === 'number' ? { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) } : {},
    code: refusal.code,
    message: refusal.message,
    details,
    unexpected: false,
  };
}

/** Turns whatever was thrown into the answer that spec 1 wants. */
export function errorReply(error: unknown): ErrorReply {
  const { status, headers, code, message, details, unexpected } = faultOf(error);
  if (code === VALIDATION_FAILED) {
    return { status, code, headers, body: { message, errors: details['errors'] ?? {} }, unexpected };
  }
  const withDetails = Object.keys(details).length === 0 ? {} : { details };
  return { status, code, headers, body: { error: { code, message, ...withDetails } }, unexpected };
}
