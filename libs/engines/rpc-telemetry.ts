import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { continueTrace, rpcRequests, withinTrace } from '@sluice/telemetry';
import { Observable, tap } from 'rxjs';

interface MessageContext {
  getHeaders?(): { get(name: string): string | undefined } | undefined;
}

/** Continues the caller's trace in whatever answers a request from the bus, and measures it. */
export class RpcTelemetry implements NestInterceptor {
  constructor(private readonly service: string) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const trace = continueTrace(context.switchToRpc().getContext<MessageContext>().getHeaders?.()?.get('traceparent'));
    const pattern = `${context.getClass().name}.${context.getHandler().name}`;
    const stop = rpcRequests.startTimer({ service: this.service, pattern });
    return new Observable((subscriber) =>
      withinTrace(trace, () =>
        next
          .handle()
          .pipe(tap({ complete: () => stop({ outcome: 'answered' }), error: () => stop({ outcome: 'refused' }) }))
          .subscribe(subscriber),
      ),
    );
  }
}
