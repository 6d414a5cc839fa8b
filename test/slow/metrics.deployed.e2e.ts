import { onEachDeployment, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { sluice } from '../support/process';

/** What an operator watches: name and labels in Prometheus' text format, by where it is exported. */
const WATCHED = {
  gateway: [/^sluice_http_request_seconds_count\{[^}]*route="\/api\/public\/v1\/apps"[^}]*status="201"[^}]*\} 1$/m],
  registry: [
    /^sluice_append_seconds_count\{service="registry",category="apps",outcome="appended"\} 1$/m,
    /^sluice_rpc_request_seconds_count\{service="registry",[^}]*outcome="answered"\} \d+$/m,
    /^sluice_projection_caught_up\{service="registry",projection="apps"\} 1$/m,
    /^sluice_projection_lag_seconds\{service="registry",projection="apps"\} [\d.e-]+$/m,
  ],
  'build-pipeline': [
    ...[/^sluice_jobs\{state="pending"\} 0$/m, /^sluice_jobs\{state="processing"\} 0$/m],
    ...[/^sluice_plans\{status="running",because=""\} 0$/m, /^sluice_plans\{status="failed",because="failed"\} 0$/m],
  ],
  // Rare ones are there before they happen: the first increase of a new counter shows nowhere.
  'merchant-sync': [/^sluice_answers_before_all_members\{service="merchant-sync"\} 0$/m],
  'device-updates': [
    /^sluice_index_skipped_rows\{collection="servingBuilds"\} 0$/m,
    /^sluice_disk_free_bytes [1-9]\d*$/m,
    /^sluice_reports_over_budget\{budget="owner"\} 0$/m,
    /^sluice_reports_waiting 0$/m,
    /^sluice_statement_failures 0$/m,
    /^sluice_update_checks\{outcome="offered"\} 0$/m,
  ],
} as const;

onEachDeployment('metrics, $name', (kind) => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await kind.deploy({ METRICS_PORT: '0' });
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('tell what an operator watches, each where it happens', async () => {
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    const { token } = JSON.parse(made.stdout) as { token: string };
    const { status } = await management(deployment.gateways[0]!, token).post('/apps', { name: 'A', platform: 'ios' });
    expect(status).toBe(201);

    const port = (log: readonly string[]) => {
      const ready = log.find((line) => line.includes('"Sluice is ready"'))!;
      return (JSON.parse(ready) as { metrics_port: number }).metrics_port;
    };
    for (const [service, watched] of Object.entries(WATCHED)) {
      const processes = deployment.processes.filter(({ name }) => name === service || name === 'standalone');
      const told = await Promise.all(
        processes.map(async ({ log }) => (await fetch(`http://127.0.0.1:${port(log)}/metrics`)).text()),
      );
      for (const { address } of processes) expect((await fetch(`${address}/metrics`)).status).toBe(404);
      // Of several replicas one has answered.
      for (const line of watched) expect(told.join('\n')).toMatch(line);
    }
  }, 60_000);
});
