import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

/** The metrics of one process, in Prometheus' text format at `/metrics`. */
export const metrics = register;

collectDefaultMetrics();

export const httpRequests = new Histogram({
  name: 'sluice_http_request_seconds',
  help: 'Time from the request to its answer.',
  labelNames: ['service', 'method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
});

export const rpcRequests = new Histogram({
  name: 'sluice_rpc_request_seconds',
  help: 'Time that a service takes to answer a request from the bus.',
  labelNames: ['service', 'pattern', 'outcome'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
});

/** By service, how its projections stand: name, and whether one has applied all that it knew of. */
export const projectionStates = new Map<string, () => Iterable<readonly [projection: string, caughtUp: boolean]>>();

new Gauge({
  name: 'sluice_projection_caught_up',
  help: '1 while the projection has applied all that it knew of, 0 while it catches up or has stopped.',
  labelNames: ['service', 'projection'],
  // Of several processes: whether all have.
  aggregator: 'min',
  collect() {
    this.reset();
    for (const [service, states] of projectionStates) {
      for (const [projection, caughtUp] of states()) this.set({ service, projection }, caughtUp ? 1 : 0);
    }
  },
});

export const projectionLag = new Gauge({
  name: 'sluice_projection_lag_seconds',
  help: 'How old the newest event was when the projection had committed the rows that it made.',
  labelNames: ['service', 'projection'],
  aggregator: 'max',
});

export const appends = new Histogram({
  name: 'sluice_append_seconds',
  help: 'Time that the event store takes to write the events of one decision, by the category of their stream; conflict: another writer was first, and the decision is made again.',
  labelNames: ['service', 'category', 'outcome'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
});

export const engineUp = new Gauge({
  name: 'sluice_engine_up',
  help: '1 while the engine answers this process, 0 while it does not; asked every five seconds.',
  labelNames: ['engine'],
  // Of several processes: whether all are answered.
  aggregator: 'min',
});

export const eventStreams = new Gauge({
  name: 'sluice_event_streams',
  help: 'Open streams of events, which tell consoles what changed.',
});

export const lateMembers = new Counter({
  name: 'sluice_answers_before_all_members',
  help: 'Changes answered although a live process had not yet applied them.',
  labelNames: ['service'],
});

/** Added to where they happen: a labelled counter costs more than a check does. */
export const updateChecks = { offered: 0, nothing: 0 };

new Counter({
  name: 'sluice_update_checks',
  help: 'Update checks answered with 200, by their result.',
  labelNames: ['outcome'],
  collect() {
    this.reset();
    for (const [outcome, count] of Object.entries(updateChecks)) this.inc({ outcome }, count);
  },
});

/** By the first digit of their status; a check with a 200 counts in `updateChecks` only. */
const deviceAnswers = new Float64Array(6);
const deviceRefusals = new Map<string, number>();

/** Counts an answer of the device plane. */
export function countDeviceAnswer(status: number): void {
  const digit = Math.floor(status / 100);
  deviceAnswers[digit] = (deviceAnswers[digit] ?? 0) + 1;
}

/** Counts why one was refused: one of the codes that the plane's description names. */
export function countDeviceRefusal(code: string): void {
  deviceRefusals.set(code, (deviceRefusals.get(code) ?? 0) + 1);
}

new Counter({
  name: 'sluice_device_answers',
  help: 'Responses of the device API, by the class of their status.',
  labelNames: ['status'],
  collect() {
    this.reset();
    const checks = updateChecks.offered + updateChecks.nothing;
    for (const digit of [2, 3, 4, 5]) {
      this.inc({ status: `${digit}xx` }, (deviceAnswers[digit] ?? 0) + (digit === 2 ? checks : 0));
    }
  },
});

new Counter({
  name: 'sluice_device_refusals',
  help: 'Rejections of the device API, by their code.',
  labelNames: ['code'],
  collect() {
    this.reset();
    for (const [code, count] of deviceRefusals) this.inc({ code }, count);
  },
});

/** Set by the owner of the value, and called when the metrics are read. While it fails, the metric is left out. */
export const jobs: { count?: () => Promise<Readonly<Record<string, number>>> } = {};

new Gauge({
  name: 'sluice_jobs',
  help: 'Jobs of the installation by state, completed ones left out. Every replica reports the same.',
  labelNames: ['state'],
  async collect() {
    this.reset();
    const counts = await jobs.count?.().catch(() => undefined);
    for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count);
  },
});

/** Plans of one status, and why they have it. */
export interface PlanCount {
  readonly status: string;
  readonly because: string;
  readonly count: number;
}

/** Set by build-pipeline; asked when the metrics are read. While it fails, there is no series. */
export const plans: { count?: () => Promise<readonly PlanCount[]> } = {};

new Gauge({
  name: 'sluice_plans',
  help: 'Rollout plans of the installation that are running or held, or have failed, and why. Every replica reports the same.',
  labelNames: ['status', 'because'],
  aggregator: 'max',
  async collect() {
    this.reset();
    const counts = await plans.count?.().catch(() => undefined);
    for (const { status, because, count } of counts ?? []) this.set({ status, because }, count);
  },
});

export const statementFailures = new Counter({
  name: 'sluice_statement_failures',
  help: 'Attempts to sign manifests and channel states that failed; update checks are answered all the same.',
});

/** Set by the device plane; asked when the metrics are read. Milliseconds since 1970, undefined without statements. */
export const statements: { earliestExpiry?: () => Promise<number | undefined> } = {};

new Gauge({
  name: 'sluice_statement_expiry_seconds',
  help: 'Seconds until the first signed manifest or channel state expires, below zero after it. Every replica reports the same.',
  aggregator: 'min',
  async collect() {
    this.reset();
    const expiry = await statements.earliestExpiry?.().catch(() => undefined);
    // Prometheus' gauges without labels start at 0, which would read as "expires now".
    if (expiry === undefined) this.remove();
    else this.set((expiry - Date.now()) / 1_000);
  },
});

/** What devices reported of one build in the last seven days (UTC), each device once. */
export interface BuildReports {
  readonly app: number;
  readonly channel: string;
  readonly build: number;
  readonly version: string;
  /** Whether it is live or rolling out. */
  readonly inService: boolean;
  readonly installs: number;
  readonly installFailures: number;
  readonly rollbacks: number;
}

/** Set by the device plane, which limits them; asked when the metrics are read. While it fails, there is no series. */
export const newestBuilds: { reports?: () => Promise<readonly BuildReports[]> } = {};

const ofBuilds = (name: string, help: string, valueOf: (build: BuildReports) => number) =>
  new Gauge({
    name,
    help: `${help} Of the newest three builds of each channel; every replica reports the same.`,
    labelNames: ['app', 'channel', 'build', 'version'],
    // Of several processes, which count at different moments.
    aggregator: 'max',
    async collect() {
      this.reset();
      const builds = await newestBuilds.reports?.().catch(() => undefined);
      for (const counts of builds ?? []) {
        const { app, channel, build, version } = counts;
        this.set({ app, channel, build, version }, valueOf(counts));
      }
    },
  });

ofBuilds('sluice_build_installs', 'Installs that devices reported in seven days.', ({ installs }) => installs);
ofBuilds(
  'sluice_build_install_failures',
  'Failed installs that devices reported in seven days.',
  ({ installFailures }) => installFailures,
);
ofBuilds('sluice_build_rollbacks', 'Rollbacks that devices reported in seven days.', ({ rollbacks }) => rollbacks);
ofBuilds('sluice_build_in_service', '1 while the build is live or rolling out, else 0.', ({ inService }) =>
  Number(inService),
);

export const reportsWaiting = new Gauge({
  name: 'sluice_reports_waiting',
  help: 'Device reports that have come and are not yet on their way to the state store.',
});

export const reportWrites = new Histogram({
  name: 'sluice_report_write_seconds',
  help: 'Time that a batch of device reports takes to be durable.',
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
});

export const reportsOverBudget = new Counter({
  name: 'sluice_reports_over_budget',
  help: 'Device reports that were rejected because the app or its owner has used up its budget of the day.',
  labelNames: ['budget'],
});

export const rollbacksNotStored = new Counter({
  name: 'sluice_rollbacks_not_stored',
  help: 'Rollbacks of devices that were not stored because too many are: these devices may be offered the build again.',
});

export const diskFree = new Gauge({
  name: 'sluice_disk_free_bytes',
  help: 'Free bytes of the disk that holds the device reports, where an embedded engine stores them.',
  // Each of DEVICE_WORKERS measures the same disk.
  aggregator: 'min',
});
// A gauge without labels starts at 0, which would read as a full disk in processes that measure none.
diskFree.remove();

export const skippedRows = new Counter({
  name: 'sluice_index_skipped_rows',
  help: 'Stored rows that the index of the device API could not read and skipped.',
  labelNames: ['collection'],
});

export const skippedEvents = new Counter({
  name: 'sluice_index_skipped_events',
  help: 'Events that the index of the device API could not read and skipped.',
  labelNames: ['type'],
});
