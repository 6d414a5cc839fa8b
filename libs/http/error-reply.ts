import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { DomainError, isUnavailable, statusOfCode, VALIDATION_FAILED, type JsonObject } from '@sluice/kernel';
import { PacketTooLargeError } from '@sluice/messaging';
import { unsupportedMediaType } from './json-body';

/** An error, before a plane puts it into its envelope. */
export interface Fault {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  readonly message: string;
  /** For a validation failure: `errors`, messages by field. */
  readonly details: JsonObject;
  /** A server error: it is logged under `details.error_id`. */
  readonly unexpected: boolean;
}

/** The response to a client: the error envelope, or the body of a validation failure. */
export interface ErrorReply {
  readonly status: number;
  /** The error's code, whatever the plane calls it in the body. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** A server error: it is logged under `details.error_id`. */
  readonly unexpected: boolean;
}

const NOT_FOUND = new DomainError('NOT_FOUND', 'There is nothing at this address.');
const TOO_LARGE = new DomainError('PAYLOAD_TOO_LARGE', 'The body is larger than this operation accepts.');

const FRAMEWORK_REFUSALS: Readonly<Record<number, DomainError>> = {
  400: new DomainError(
    'INVALID_REQUEST',
    'The request is malformed. The URL is invalid, or the body does not match Content-Length.',
  ),
  404: NOT_FOUND,
  413: TOO_LARGE,
  // A part of the path is longer than any name.
  414: NOT_FOUND,
  415: unsupportedMediaType('application/json, or multipart/form-data for an upload'),
};

/** The error for an error of Fastify, or of Nest, which passes those on; undefined for other statuses. */
export function frameworkRefusal(status: number): DomainError | undefined {
  return FRAMEWORK_REFUSALS[status];
}

/** Errors that end a body before it is complete. Fastify gives one of a request the status 400, too. */
const CLIENT_LEFT: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether the client disconnected before its body was complete: not a server error, and no client awaits a response. */
export function clientLeft(error: unknown, response: Pick<ServerResponse, 'destroyed' | 'writableEnded'>): boolean {
  return (
    (response.destroyed || response.writableEnded) &&
    CLIENT_LEFT.has((error as { readonly code?: unknown } | null)?.code)
  );
}

function asRefusal(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (!(error instanceof Error)) return undefined;
  if (isUnavailable(error)) {
    return new DomainError('SERVICE_UNAVAILABLE', 'A part of the server is unavailable. Try again shortly.', {
      retry_after: 1,
    });
  }
  if (error instanceof PacketTooLargeError) return TOO_LARGE;
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  // A method that no route has: Fastify rejects it before it looks at the path.
  if (typeof code === 'string' && code.startsWith('FST_ERR_ROUTE_MISSING_CONTENT')) return NOT_FOUND;
  if (CLIENT_LEFT.has(code) && statusCode === 400) return frameworkRefusal(400);
  const fastifys = typeof code === 'string' && code.startsWith('FST_ERR_') && typeof statusCode === 'number';
  return fastifys ? frameworkRefusal(statusCode) : undefined;
}

/** The client's view of any error; never contains a stack. */
export function faultOf(error: unknown): Fault {
  const refusal = asRefusal(error);
  const status = refusal === undefined ? undefined : statusOfCode(refusal.code);
  if (refusal === undefined || status === undefined || refusal.code === 'INTERNAL_ERROR') {
    return {
      status: 500,
      headers: {},
      code: 'INTERNAL_ERROR',
      message: 'Internal server error. Search the server log for this error_id.',
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

/** Turns any error into a response of the management, dashboard or device plane. */
export function errorReply(error: unknown): ErrorReply {
  const { status, headers, code, message, details, unexpected } = faultOf(error);
  if (code === VALIDATION_FAILED) {
    return { status, code, headers, body: { message, errors: details['errors'] ?? {} }, unexpected };
  }
  const withDetails = Object.keys(details).length === 0 ? {} : { details };
  return { status, code, headers, body: { error: { code, message, ...withDetails } }, unexpected };
}
