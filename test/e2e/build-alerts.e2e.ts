import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { stringify } from 'yaml';
import { standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

const PROMETHEUS = join(__dirname, '..', '..', 'deploy', 'prometheus');
const promtoolInstalled = (() => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const withPromtool = promtoolInstalled ? it : it.skip;

type Outcome = 'complete' | 'failed' | 'rollback';

describe('the alert for a build that fails on devices', () => {
  let folder: string;
  let deployment: Deployment;
  let token: string;
  let key: string;
  /** Of the newest builds, as a scraper reads them. */
  let series: readonly (readonly [series: string, value: string])[];

  const app = '/apps/com.example.shop';
  const api = () => management(deployment.gateways[0]!, token);
  const device = () => deployment.devices[0]!;

  /** Answers its bundle id. */
  async function release(channel: string, version: string): Promise<string> {
    await api().upload(`${app}/builds`, await zipOf({ 'index.html': version }), { version, channel });
    return eventually(async () => {
      const offer = await checkUpdate(device(), key, 'first', '1.0.0', channel);
      return offer.body.available && (offer.body as unknown as { bundleId: string }).bundleId;
    });
  }

  async function report(bundleId: string, outcomes: Readonly<Record<Outcome, number>>): Promise<void> {
    for (const [status, count] of Object.entries(outcomes)) {
      for (let n = 0; n < count; n += 1) {
        const id = `${status === 'failed' ? 'failing' : 'device'}-${n}`;
        const sent = await call(`${device()}/api/v1/analytics/install`, {
          method: 'POST',
          headers: {
            ...{ 'X-API-Key': key, 'X-Device-ID': id, 'X-Bundle-Version': '1.0.0', 'X-Platform': 'ios' },
            'Content-Type': 'application/json',
          },
          body: JSON.stringify({ bundle_id: bundleId, status }),
        });
        expect(sent.status).toBe(200);
      }
    }
  }

  beforeAll(async () => {
    folder = temporaryDirectory();
    deployment = await standalone.deploy({ METRICS_PORT: '0' });
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    key = (await api().post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'installs' })).body.data
      .plaintext_key;
    await report(await release('production', '1.1.0'), { complete: 20, failed: 10, rollback: 5 });
    await report(await release('staging', '1.1.0'), { complete: 19, failed: 1, rollback: 0 });
    await report(await release('development', '1.1.0'), { complete: 0, failed: 20, rollback: 0 });
    expect((await api().patch(`${app}/builds/3`, { status: 'paused' })).status).toBe(200);

    const ready = deployment.processes[0]!.log.find((line) => line.includes('"Sluice is ready"'))!;
    const { metrics_port: port } = JSON.parse(ready) as { metrics_port: number };
    const scraped = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    series = [...scraped.matchAll(/^(sluice_build_\w+\{.*\}) (\d+)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
  }, 120_000);

  afterAll(() => deployment.destroy());

  it('is fed by what devices report of each build', () => {
    const of = (channel: string, build: number) => `{app="1",channel="${channel}",build="${build}",version="1.1.0"}`;
    expect(Object.fromEntries(series)).toEqual({
      [`sluice_build_installs${of('production', 1)}`]: '20',
      [`sluice_build_install_failures${of('production', 1)}`]: '10',
      [`sluice_build_rollbacks${of('production', 1)}`]: '5',
      [`sluice_build_in_service${of('production', 1)}`]: '1',
      [`sluice_build_installs${of('staging', 2)}`]: '19',
      [`sluice_build_install_failures${of('staging', 2)}`]: '1',
      [`sluice_build_rollbacks${of('staging', 2)}`]: '0',
      [`sluice_build_in_service${of('staging', 2)}`]: '1',
      [`sluice_build_installs${of('development', 3)}`]: '0',
      [`sluice_build_install_failures${of('development', 3)}`]: '20',
      [`sluice_build_rollbacks${of('development', 3)}`]: '0',
      [`sluice_build_in_service${of('development', 3)}`]: '0',
    });
  });

  withPromtool('fires for it, and neither for a good build nor for a stopped one', async () => {
    const alertname = 'SluiceBuildFailsOnDevices';
    const fired = {
      exp_labels: { app: '1', channel: 'production', build: '1', version: '1.1.0', severity: 'critical' },
      exp_annotations: {
        summary: 'Build 1 (1.1.0) fails on devices',
        description:
          '50% of the installs of version 1.1.0 in production of app 1 failed or were rolled back. Stop it with "sluice build pause 1 --app 1".',
      },
    };
    const file = join(folder, 'test.yaml');
    const replicas = ['10.0.0.1:9464', '10.0.0.2:9464'];
    await writeFile(
      file,
      stringify({
        rule_files: [join(PROMETHEUS, 'rules.yaml')],
        evaluation_interval: '15s',
        tests: [
          {
            interval: '15s',
            // Two replicas report the same.
            input_series: replicas.flatMap((instance) =>
              series.map(([name, value]) => ({
                series: name.replace('{', `{instance="${instance}",`),
                values: `${value}x40`,
              })),
            ),
            alert_rule_test: [
              { eval_time: '1m', alertname, exp_alerts: [] },
              { eval_time: '5m', alertname, exp_alerts: [fired] },
            ],
          },
        ],
      }),
    );
    execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    const configuration = join(PROMETHEUS, 'prometheus.yaml');
    expect(execFileSync('promtool', ['check', 'config', configuration], { encoding: 'utf8' })).toContain(
      '3 rules found',
    );
  });
});
