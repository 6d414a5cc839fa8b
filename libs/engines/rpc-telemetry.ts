import type { Observer } from '@sluice/messaging';
import { continueTrace, rpcRequests, withinTrace } from '@sluice/telemetry';

/** Continues the caller's trace in whatever answers a request from the bus, and measures it. */
export function observeRequests(service: string): Observer {
  return async ({ operation, headers }, answer) => {
    const stop = rpcRequests.startTimer({ service, pattern: operation });
    try {
      const answered = await withinTrace(continueTrace(headers.get('traceparent')), answer);
      stop({ outcome: 'answered' });
      return answered;
    } catch (refusal) {
      stop({ outcome: 'refused' });
      throw refusal;
    }
  };
}
