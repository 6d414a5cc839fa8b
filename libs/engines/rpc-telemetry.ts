import type { Observer } from '@sluice/messaging';
import { continueTrace, rpcRequests, withinTrace } from '@sluice/telemetry';

/** Continues the caller's trace in whatever answers a request from the bus, and measures it. */
export function observeRequests(service: string): Observer {
  return async ({ operation, headers }, answer) => {
    const begun = performance.now();
    const stop = (outcome: string) =>
      rpcRequests.observe({ service, pattern: operation, outcome }, (performance.now() - begun) / 1_000);
    try {
      const answered = await withinTrace(continueTrace(headers.get('traceparent')), answer);
      stop('answered');
      return answered;
    } catch (refusal) {
      stop('refused');
      throw refusal;
    }
  };
}
