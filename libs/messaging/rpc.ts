import {
  applyDecorators,
  Catch,
  createParamDecorator,
  UsePipes,
  type ArgumentMetadata,
  type ArgumentsHost,
  type ExecutionContext,
  type PipeTransform,
  type RpcExceptionFilter,
} from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Call } from '@sluice/contracts';
import { DomainError, UnavailableError, ValidationError } from '@sluice/kernel';
import { randomUUID } from 'node:crypto';
import { throwError, type Observable } from 'rxjs';
import type { z } from 'zod';
import { callerFromHeaders, traceparentOf, type MessageHeaders } from './caller-headers';
import { INTERNAL_ERROR, toWireError } from './wire-error';

/**
 * Marks the method that answers a call: `@Handles(createApp)`. The body is decoded with the call's
 * schema first; a body that does not fit is refused as ValidationError.
 */
export function Handles(call: Call): MethodDecorator {
  return (target, method, descriptor) => {
    const operation = `${target.constructor.name}.${String(method)}`;
    applyDecorators(MessagePattern(call.pattern, { operation }), UsePipes(new RequestPipe(call.request)))(
      target,
      method,
      descriptor,
    );
  };
}

const headersOf = (host: ArgumentsHost): MessageHeaders | undefined =>
  host.switchToRpc().getContext<{ getHeaders(): MessageHeaders | undefined }>().getHeaders();

const callerParameter = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerFromHeaders(headersOf(context)),
);

/** Parameter decorator: the Caller from the message's headers. */
export function CallerOf(): ParameterDecorator {
  return callerParameter();
}

class RequestPipe implements PipeTransform {
  constructor(private readonly schema: z.ZodType) {}

  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    const parsed = this.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const errors: Record<string, string[]> = {};
    for (const { path, message } of parsed.error.issues) (errors[path.join('.') || 'body'] ??= []).push(message);
    throw new ValidationError(errors);
  }
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
    this.report(error, errorId, traceparentOf(headersOf(host)));
    return new DomainError(INTERNAL_ERROR, 'Internal server error', { error_id: errorId });
  }
}
