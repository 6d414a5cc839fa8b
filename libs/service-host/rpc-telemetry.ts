import { continueIn, traceparentOf, type Observer } from '@sluice/messaging';
import { rpcRequests, spanWithin } from '@sluice/telemetry';

/** Measures how a service handles requests from the bus and adds spans to their traces. */
export function observeRequests(service: string): Observer {
  return ({ pattern, headers }) => {
    const begun = performance.now();
    const span = spanWithin(traceparentOf(headers), {
      ...{ name: pattern, kind: 'SERVER', attributes: { 'sluice.service': service } },
    });
    if (span !== undefined) continueIn(headers, span);
    return (outcome) => {
      rpcRequests.observe({ service, pattern, outcome }, (performance.now() - begun) / 1_000);
      span?.end({ attributes: { 'sluice.outcome': outcome } });
    };
  };
}
