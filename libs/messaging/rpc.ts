import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import type { Caller } from '@sluice/contracts';
import { DomainError, EngineUnavailableError, UnavailableError } from '@sluice/kernel';
import { randomUUID } from 'node:crypto';
import { throwError, type Observable } from 'rxjs';
import { INTERNAL_ERROR, toWireError } from './wire-error';

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
    if (error instanceof EngineUnavailableError) return new UnavailableError(`The ${error.engine} is unavailable.`);
    const errorId = randomUUID();
    this.report(error, errorId, host.switchToRpc().getContext<Caller>().traceparent);
    return new DomainError(INTERNAL_ERROR, 'Internal server error', { error_id: errorId });
  }
}
