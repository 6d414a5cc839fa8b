import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { metrics, plans } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { parse, stringify } from 'yaml';
import { ROOT } from './made-secrets';

const withPromtool = spawnSync('promtool', ['--version']).error === undefined ? it : it.skip;

interface RulesFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly annotations: object }[] }[];
}

/** The series of so many plans, as a process reports them. */
async function seriesOf(status: string, because: string): Promise<string> {
  plans.count = () => Promise.resolve([{ status, because, count: 5 }]);
  const [, series] = /^(sluice_plans\{.*\}) 5$/m.exec(await metrics.metrics()) ?? [];
  delete plans.count;
  return series!;
}

it('the metric is left out while plans can not be counted', async () => {
  plans.count = () => Promise.reject(new Error('unavailable'));
  expect(await metrics.metrics()).not.toContain('sluice_plans{');
  delete plans.count;
});

withPromtool('the alerts fire for plans that a gate held or failed, and not for others', async () => {
  const alert = (name: string, time: string, exp_alerts: readonly object[]) => ({
    ...{ eval_time: time, alertname: name },
    exp_alerts,
  });
  const file = join(temporaryDirectory(), 'test.yaml');
  const rules = join(ROOT, 'deploy', 'prometheus', 'rules.yaml');
  const { groups } = parse(readFileSync(rules, 'utf8')) as RulesFile;
  const fired = (
    name: string,
    exp_labels: Readonly<Record<string, string>>,
    values: Readonly<Record<string, string>>,
  ) => {
    const { annotations } = groups.flatMap((group) => group.rules).find((rule) => rule.alert === name)!;
    const text = Object.entries(values).reduce(
      (json, [variable, value]) => json.replace(`{{ ${variable} }}`, value),
      JSON.stringify(annotations),
    );
    return { exp_labels, exp_annotations: JSON.parse(text) as object };
  };
  const held = fired(
    'SluicePlanHeld',
    { because: 'inconclusive', severity: 'warning' },
    { '$labels.because': 'inconclusive', $value: '2' },
  );
  const failed = fired('SluicePlanFailed', { severity: 'critical' }, {});
  const values: readonly (readonly [series: string, values: string])[] = [
    [await seriesOf('running', ''), '3x60'],
    [await seriesOf('held', 'manual'), '4x60'],
    [await seriesOf('held', 'inconclusive'), '0x10 2x50'],
    // Four failed long ago, and one does now.
    [await seriesOf('failed', 'failed'), '4x20 5x40'],
  ];
  const tests = {
    interval: '1m',
    input_series: ['10.0.0.1:9464', '10.0.0.2:9464'].flatMap((instance) =>
      values.map(([series, value]) => ({ series: series.replace('{', `{instance="${instance}",`), values: value })),
    ),
    alert_rule_test: [
      alert('SluicePlanHeld', '10m', []),
      alert('SluicePlanHeld', '13m', [held]),
      alert('SluicePlanFailed', '19m', []),
      alert('SluicePlanFailed', '23m', [failed]),
      alert('SluicePlanFailed', '50m', []),
    ],
  };
  await writeFile(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [tests] }));
  execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
});
