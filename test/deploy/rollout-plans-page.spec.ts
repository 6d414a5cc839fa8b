import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestedPlanSchema } from '@sluice/contracts';
import { isAbove } from '../../services/build-pipeline/plans/domain/evidence';
import { judge, NOTHING_FORGIVEN, weakSteps } from '../../services/build-pipeline/plans/domain/gate';
import { readRules } from '../../services/build-pipeline/plans/plan-resource';
import { countFairly } from '../../services/device-updates/reports/domain/fair-count';
import { ROOT } from './made-secrets';

const docs = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8');
const page = docs('guides/rollout-plans.md');

/** The cells of the table whose first heading this is, without the heading. */
function tableOf(text: string, heading: string): string[][] {
  const lines = text.slice(text.indexOf(`| ${heading} `)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const ALPHA = 0.0005;

/** How likely it is that the evidence ever suffices within so many devices, of which this share fails. */
function chanceToDetect(share: number, limit: number, devices: number): number {
  let undetected = new Map([[0, 1]]);
  let enough = 1;
  for (let seen = 1; seen <= devices; seen += 1) {
    const after = new Map<number, number>();
    const add = (failed: number, chance: number) => after.set(failed, (after.get(failed) ?? 0) + chance);
    for (const [failed, chance] of undetected) {
      add(failed, chance * (1 - share));
      add(failed + 1, chance * share);
    }
    while (!isAbove(limit, { failed: enough, cases: seen }, ALPHA)) enough += 1;
    for (const failed of after.keys()) if (failed >= enough) after.delete(failed);
    undetected = after;
  }
  return 1 - [...undetected.values()].reduce((sum, chance) => sum + chance, 0);
}

const numberIn = (cell = '') => Number(cell.replace(/,/g, '').match(/[\d.]+/)?.[0]);
const step = (minDevices: number) => ({ percentage: 5, holdMinutes: 0, minDevices });

describe('docs/guides/rollout-plans.md', () => {
  it('has the numbers of ADR 18', () => {
    const simulated = new Map(
      tableOf(docs('adr/0018-gates-by-evidence.md'), 'failure rate').map(([rate = '', , ...of]) => [rate, of]),
    );
    const rows = tableOf(page, 'devices that fail');
    expect(rows).toHaveLength(6);
    for (const [rate = '', stopped = '', half = '', most = ''] of rows) {
      const [stops = '', median, late] = simulated.get(rate)!;
      expect([rate, stops.replace(/ \(.*/, '')]).toEqual([rate, stopped]);
      if (half === '') expect(Number(stops.split(' ')[0])).toBeLessThan(10);
      else expect([rate, `${median} devices`, `${late} devices`]).toEqual([rate, half, most]);
    }
  });

  it('has the numbers of devices that detect twice the limit', () => {
    const rows = tableOf(page, 'limit');
    expect(rows).toHaveLength(5);
    for (const [limit, devices] of rows) {
      const share = numberIn(limit) / 100;
      expect([limit, weakSteps([step(numberIn(devices))], share)]).toEqual([limit, []]);
      expect(weakSteps([step(0)], share)[0]).toContain(`About ${numberIn(devices)} devices are enough.`);
      expect(chanceToDetect(2 * share, share, numberIn(devices))).toBeGreaterThan(0.6);
      expect(chanceToDetect(2 * share, share, 2.5 * numberIn(devices))).toBeGreaterThan(0.99);
    }
  });

  it('has an example that the API accepts, and names its warning', () => {
    const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page.slice(page.indexOf('## An example')))!;
    const rules = readRules(requestedPlanSchema.parse(JSON.parse(json)));
    expect(rules.onFail).toBe('halt');
    const warnings = weakSteps(rules.steps, 0.02);
    expect(warnings).toEqual([expect.stringMatching(/^The min_devices of step 1 \(500\) .* fails on 4% of devices/)]);
    expect(weakSteps(rules.steps, 0.05)).toEqual([]);
  });

  it('counts an office as it says', () => {
    const office = { finished: 200, failed: 0 };
    const counted = (others: number) =>
      countFairly([office, ...Array.from({ length: others }, () => ({ finished: 1, failed: 0 }))], {
        finished: 0,
        failed: 0,
      });
    for (const others of [0, 100, 195]) expect(counted(others)).toMatchObject({ finished: others + 3, leftOut: 197 });
    expect(page.replace(/\n/g, ' ')).toContain('until 196 devices at other IP addresses');
    expect(counted(196).finished).toBe(200);
  });

  it('says for which defaults it was written', () => {
    const { gates, on_fail } = requestedPlanSchema.parse({
      steps: [{ percentage: 5, hold_minutes: 0, min_devices: 0 }],
    });
    expect([gates.failures, gates.silence, on_fail]).toEqual([
      { threshold_percent: 2 },
      { after_minutes: 24 * 60, threshold_percent: 50 },
      'hold',
    ]);
  });

  it('stops a build after as many failures as it says', () => {
    const [, ...numbers] =
      /as soon as (\d+) of (\d+) devices have failed, or (\d+) of (\d+), or (\d+) of ([\d,]+)/.exec(
        page.replace(/\n/g, ' '),
      )!;
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers.map(numberIn);
    const gate = { limit: 0.02, step: step(0), silenceThreshold: 50, forgiven: NOTHING_FORGIVEN };
    const verdict = (failed: number, finished: number) =>
      judge({ leftOut: 0, mostFinished: 1, mostFailed: 1, downloaded: 0, silent: 0, finished, failed }, gate).verdict;
    for (const [failed, finished] of [
      [a, b],
      [c, d],
      [e, f],
    ] as const) {
      expect([failed, verdict(failed, finished)]).toEqual([failed, 'fail']);
      expect([failed, verdict(failed - 1, finished)]).toEqual([failed, 'inconclusive']);
    }
    expect(verdict(50, 500)).toBe('fail');
  });
});
