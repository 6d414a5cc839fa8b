import type { Observer } from '@sluice/messaging';
import { rpcRequests } from '@sluice/telemetry';

/** Measures what a service answers to requests from the bus. */
export function observeRequests(service: string): Observer {
  return ({ operation }) => {
    const begun = performance.now();
    return (outcome) =>
      rpcRequests.observe({ service, pattern: operation, outcome }, (performance.now() - begun) / 1_000);
  };
}
