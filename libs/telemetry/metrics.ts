import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one process, in Prometheus' text format at `/metrics`. */
export const metrics = new Registry();

collectDefaultMetrics({ register: metrics });

export const httpRequests = new Histogram({
  name: 'sluice_http_request_seconds',
  help: 'Time from the request to its answer.',
  labelNames: ['service', 'method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  registers: [metrics],
});

export const rpcRequests = new Histogram({
  name: 'sluice_rpc_request_seconds',
  help: 'Time that a service takes to answer a request from the bus.',
  labelNames: ['service', 'pattern', 'outcome'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  registers: [metrics],
});

export const projectionCaughtUp = new Gauge({
  name: 'sluice_projection_caught_up',
  help: '1 while the projection has applied all that it knew of, 0 while it catches up or has stopped.',
  labelNames: ['service', 'projection'],
  // Of several processes: whether all have.
  aggregator: 'min',
  registers: [metrics],
});

export const lateMembers = new Counter({
  name: 'sluice_answers_before_all_members',
  help: 'Changes answered although a live process had not yet applied them.',
  labelNames: ['service'],
  registers: [metrics],
});

/** Added to where they happen: a labelled counter costs more than a check does. */
export const updateChecks = { offered: 0, nothing: 0 };

new Counter({
  name: 'sluice_update_checks',
  help: 'Update checks answered with 200, by what they were told.',
  labelNames: ['outcome'],
  registers: [metrics],
  collect() {
    this.reset();
    for (const [outcome, count] of Object.entries(updateChecks)) this.inc({ outcome }, count);
  },
});

export const skippedEvents = new Counter({
  name: 'sluice_index_skipped_events',
  help: 'Events that the index of the device plane could not understand and passed over.',
  labelNames: ['type'],
  registers: [metrics],
});
