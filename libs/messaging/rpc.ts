import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import type { Caller } from '@sluice/contracts';
import { DomainError, EngineUnavailableError, UnavailableError, type Logger } from '@sluice/kernel';
import { traceIdOf } from '@sluice/telemetry';
import { randomUUID } from 'node:crypto';
import { throwError, type Observable } from 'rxjs';
import { INTERNAL_ERROR, toWireError } from './wire-error';

/**
 * The global filter of every service: `app.useGlobalFilters(new RpcErrorFilter(logger))`.
 *
 * A DomainError crosses the bus intact; an unavailable engine becomes UnavailableError. Anything
 * else is logged under a fresh error id, with the caller's trace id, and of it only the error id
 * crosses.
 */
@Catch()
export class RpcErrorFilter implements RpcExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): Observable<never> {
    return throwError(() => toWireError(this.refusal(error, host)));
  }

  private refusal(error: unknown, host: ArgumentsHost): DomainError {
    if (error instanceof DomainError) return error;
    if (error instanceof EngineUnavailableError) return new UnavailableError(`The ${error.engine} is unavailable.`);
    const errorId = randomUUID();
    const { traceparent } = host.switchToRpc().getContext<Caller>();
    this.logger.error({ err: error, error_id: errorId, trace_id: traceIdOf(traceparent) }, 'A request failed');
    return new DomainError(INTERNAL_ERROR, 'Internal server error', { error_id: errorId });
  }
}
