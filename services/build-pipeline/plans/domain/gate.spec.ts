import fc from 'fast-check';
import { failuresToExceed } from './evidence';
import { judge, limitOf, NOTHING_FORGIVEN, weakSteps } from './gate';
import type { PlanRules } from './plan-events';

const step = (minDevices: number) => ({ percentage: 5, holdMinutes: 0, minDevices });
const gate = { limit: 0.02, step: step(100), silenceThreshold: 50, forgiven: NOTHING_FORGIVEN };

it('takes the threshold as the limit, unless 1.5 times the baseline is more', () => {
  const rules = { failureThreshold: 2 } as PlanRules;
  expect(limitOf({ ...rules, baseline: null })).toBe(0.02);
  expect(limitOf({ ...rules, baseline: { buildId: 1, finished: 1_000, failed: 10 } })).toBe(0.02);
  expect(limitOf({ ...rules, baseline: { buildId: 1, finished: 1_000, failed: 20 } })).toBeCloseTo(0.03);
  expect(limitOf({ ...rules, baseline: { buildId: 1, finished: 1_000, failed: 1_000 } })).toBe(0.9);
});

it('never passes and fails by the devices of one address, whatever it reports', () => {
  fc.assert(
    fc.property(fc.nat(2_000), fc.nat(100), fc.nat(100), (honest, permille, share) => {
      const failed = Math.floor((honest * permille) / 1_000);
      const most = Math.max(3, Math.floor((share / 5_000) * honest));
      const rest = { leftOut: 0, downloaded: 0, silent: 0 };
      const alone = judge({ ...rest, finished: honest, failed, mostFinished: 0, mostFailed: 0 }, gate).verdict;
      const forged = [0, most].map(
        (bad) =>
          judge({ ...rest, finished: honest + most, failed: failed + bad, mostFinished: most, mostFailed: bad }, gate)
            .verdict,
      );
      if (alone !== 'fail') expect(forged).not.toContain('fail');
      if (alone !== 'pass') expect(forged).not.toContain('pass');
    }),
  );
});

it('counts the failures of one address as one when a step may pass', () => {
  const counts = { finished: 510, failed: 12, leftOut: 990, mostFinished: 10, downloaded: 0, silent: 0 };
  expect(judge({ ...counts, mostFailed: 10 }, gate).verdict).toBe('pass');
  expect(judge({ ...counts, mostFailed: 1 }, gate)).toMatchObject({
    verdict: 'inconclusive',
    reasons: [expect.stringMatching(/^12 devices failed, which is above the limit: 2% of 500 devices/)],
  });
  const few = { ...counts, finished: 20, failed: 1, mostFinished: 1, mostFailed: 1 };
  expect(judge(few, { ...gate, step: step(10) }).verdict).toBe('inconclusive');
});

it('states the measured rate of failures with its lower bound when it fails', () => {
  const counts = { finished: 101, failed: 20, leftOut: 0, mostFinished: 0, mostFailed: 0, downloaded: 0, silent: 0 };
  expect(judge(counts, gate)).toMatchObject({
    verdict: 'fail',
    reasons: [
      expect.stringMatching(/^19\.8% of 101 devices failed \(almost certainly at least \d\.\d+%\); the limit is 2%\.$/),
    ],
  });
});

it('fails by an error of at most 1 in 2,000, and of half of that each time a person lets it continue', () => {
  const fails = (failed: number, times: number) => {
    const counts = { finished: 100, failed, leftOut: 0, mostFinished: 0, mostFailed: 0, downloaded: 0, silent: 0 };
    return judge(counts, { ...gate, forgiven: { finished: 0, failed: 0, times } }).verdict === 'fail';
  };
  const first = Array.from({ length: 100 }, (_, failed) => failed).find((failed) => fails(failed, 0))!;
  expect(first).toBe(failuresToExceed(0.02, 100, 0.000_5));
  expect(fails(first, 10)).toBe(false);
  expect(fails(failuresToExceed(0.02, 100, 0.000_5 / 2 ** 10), 10)).toBe(true);
});

it('warns of steps that can not find a build that fails on twice the limit', () => {
  expect(weakSteps([step(100), step(3_000)], 0.02)).toEqual([
    expect.stringMatching(
      /^The min_devices of step 1 \(100\) are too few to detect a build that fails on 4% of devices/,
    ),
  ]);
  expect(weakSteps([step(10), step(100), step(10)], 0.02)).toEqual([
    expect.stringMatching(/^The min_devices of steps 1, 2, and 3 \(10 and 100\) are too few to detect/),
  ]);
  expect(weakSteps([step(10), step(10_000)], 0.02, 2)).toEqual([]);
  expect(weakSteps([step(10_000)], 0.02)).toEqual([]);
  expect(weakSteps([step(0)], 0.9)).toHaveLength(1);
});
