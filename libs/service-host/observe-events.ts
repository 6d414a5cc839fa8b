import type { ProjectionsOptions } from '@sluice/projections';
import type { ObserveAppend } from '@sluice/event-store';
import { appends, projectionLag, spanWithin } from '@sluice/telemetry';

/** `channel` of `channel-7-production`. */
const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-') >>> 0);

/** Measures the appends of a service and adds them to the trace of the request. */
export function observeAppends(service: string): ObserveAppend {
  return (stream, traceparent) => {
    const begun = performance.now();
    const category = categoryOf(stream);
    const span = spanWithin(traceparent, {
      ...{ name: `append ${category}`, kind: 'CLIENT' },
      attributes: { 'sluice.service': service, 'sluice.stream': stream },
    });
    return {
      traceparent: span?.traceparent ?? traceparent,
      end: (outcome) => {
        appends.observe({ service, category, outcome }, (performance.now() - begun) / 1_000);
        span?.end({ failed: outcome === 'failed', attributes: { 'sluice.outcome': outcome } });
      },
    };
  };
}

/** Measures the lag of a service's projections and adds them to the traces of the events that they apply. */
export function observeEvents(service: string): NonNullable<ProjectionsOptions['observe']> {
  return (projection) => (events) => {
    const newest = Date.parse(events.at(-1)?.recordedAt ?? '');
    const spans = events.map(({ type, stream, metadata: { traceparent } }) =>
      spanWithin(traceparent, {
        ...{ name: `project ${projection}`, kind: 'CONSUMER' },
        attributes: { 'sluice.service': service, 'sluice.stream': stream, 'sluice.event': type },
      }),
    );
    return () => {
      projectionLag.set({ service, projection }, Math.max(0, Date.now() - newest) / 1_000);
      for (const span of spans) span?.end();
    };
  };
}
