import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { DomainError, isUnavailable, statusOfCode, VALIDATION_FAILED, type JsonObject } from '@sluice/kernel';
import { PacketTooLargeError } from '@sluice/messaging';
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
  if (isUnavailable(error)) {
    return new DomainError('SERVICE_UNAVAILABLE', 'A part of the server is away. Try again shortly.', {
      retry_after: 1,
    });
  }
  if (error instanceof PacketTooLargeError) return TOO_LARGE;
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
  const status = refusal === undefined ? undefined : statusOfCode(refusal.code);
  if (refusal === undefined || status === undefined || refusal.code === 'INTERNAL_ERROR') {
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
