import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants';
import type { Call, Caller } from '@sluice/contracts';
import { DomainError, UnavailableError } from '@sluice/kernel';
import { randomUUID } from 'node:crypto';
import { throwError, type Observable } from 'rxjs';
import type { z } from 'zod';
import { INTERNAL_ERROR, toWireError } from './wire-error';

/** What Handles notes of a method, for the transports. */
interface HandledCall {
  /** `Class.method`. */
  readonly operation: string;
  /** Of the request's body. */
  readonly schema: z.ZodType;
}

/**
 * Marks the method that answers a call: `@Handles(createApp)`. It takes the body, decoded with the
 * call's schema, and the Caller; a body that does not fit is refused as ValidationError before. Its
 * parameters bear no decorators.
 */
export function Handles(call: Call): MethodDecorator {
  return (target, method, descriptor) => {
    const operation = `${target.constructor.name}.${String(method)}`;
    const handled: HandledCall = { operation, schema: call.request };
    MessagePattern(call.pattern, { handled })(target, method, descriptor);
    // Told that there are no parameters to find, Nest hands on what it was given, without a promise for each.
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, method);
  };
}

/** @throws Error when the method bears no Handles */
export function handledCall(extras: Readonly<Record<string, unknown>> | undefined): HandledCall {
  const handled = extras?.['handled'] as HandledCall | undefined;
  if (handled === undefined) throw new Error('A method that answers requests must say which by Handles.');
  return handled;
}

/** Errors of the ports that mean "try again"; told by name, so that this file depends on no port. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  EventStoreUnavailableError: 'The event store is unavailable.',
  DocumentStoreUnavailableError: 'The document store is unavailable.',
  ObjectStoreUnavailableError: 'The object store is unavailable.',
};

/**
 * The global filter of every service: `app.useGlobalFilters(new RpcErrorFilter(report))`.
 *
 * A DomainError crosses the bus intact; an engine that is away becomes UnavailableError. Anything
 * else is reported under a fresh error id, with the caller's `traceparent`, and of it only that id
 * crosses.
 */
@Catch()
export class RpcErrorFilter implements RpcExceptionFilter {
  constructor(private readonly report: (error: unknown, errorId: string, traceparent: string | undefined) => void) {}

  catch(error: unknown, host: ArgumentsHost): Observable<never> {
    return throwError(() => toWireError(this.refusal(error, host)));
  }

  private refusal(error: unknown, host: ArgumentsHost): DomainError {
    if (error instanceof DomainError) return error;
    const unavailable = error instanceof Error ? UNAVAILABLE[error.name] : undefined;
    if (unavailable !== undefined) return new UnavailableError(unavailable);
    const errorId = randomUUID();
    this.report(error, errorId, host.switchToRpc().getContext<Caller>().traceparent);
    return new DomainError(INTERNAL_ERROR, 'Internal server error', { error_id: errorId });
  }
}
