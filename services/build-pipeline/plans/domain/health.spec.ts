import { healthOf, type HealthRules } from './health';
import { judge, limitOf, NOTHING_FORGIVEN } from './gate';
import type { LivePlan } from './plan';

const noPlan: HealthRules = { plan: null, previous: null, defaultThreshold: 2 };
const health = (failed: number, finished: number, rules: Partial<HealthRules> = {}) =>
  healthOf({ failed, finished }, { ...noPlan, ...rules }).health;
const plan = (members: Partial<LivePlan>) =>
  ({ failureThreshold: 10, baseline: null, because: null, forgiven: NOTHING_FORGIVEN, ...members }) as LivePlan;

it('does not judge a build by a few attempts, unless they are certain', () => {
  expect(health(0, 0)).toBe('unknown');
  expect(health(1, 1)).toBe('unknown');
  expect(health(1, 19)).toBe('unknown');
  expect(health(0, 19)).toBe('unknown');
  expect(health(0, 20)).toBe('healthy');
  expect(health(5, 5)).toBe('failing');
});

it('is failing exactly where the gate of a plan with these rules fails, and healthy where it passes', () => {
  const limit = limitOf({ failureThreshold: 2, baseline: null });
  const step = { percentage: 100, holdMinutes: 0, minDevices: 20 };
  const rest = { leftOut: 0, mostFinished: 0, mostFailed: 0, downloaded: 0, silent: 0 };
  const names = { fail: 'failing', pass: 'healthy', inconclusive: 'watch' };
  for (let failed = 0; failed <= 20; failed += 1) {
    const gate = { limit, step, silenceThreshold: 50, forgiven: NOTHING_FORGIVEN };
    expect(health(failed, 200)).toBe(names[judge({ ...rest, finished: 200, failed }, gate).verdict]);
  }
  expect([4, 5, 21].map((failed) => health(failed, 200))).toEqual(['healthy', 'watch', 'failing']);
});

it('accepts 1.5 times the failures of the build before it, if enough devices tried that one', () => {
  const previous = { buildId: 1, finished: 1_000, failed: 100 };
  expect(health(28, 200)).toBe('failing');
  expect(healthOf({ failed: 28, finished: 200 }, { ...noPlan, previous })).toMatchObject({
    ...{ health: 'healthy', judgedBy: 'baseline', baseline: previous },
    limit: expect.closeTo(0.15),
  });
  expect(health(28, 200, { previous: { ...previous, finished: 999 } })).toBe('failing');
  const good = healthOf({ failed: 28, finished: 200 }, { ...noPlan, previous: { ...previous, failed: 1 } });
  expect(good).toMatchObject({ health: 'failing', judgedBy: 'default', baseline: null, limit: 0.02 });
});

it('takes the limit of its plan, and leaves the verdict to one that is not over', () => {
  expect(health(10, 200, { plan: plan({ status: 'running' }) })).toBe('healthy');
  expect(health(100, 200, { plan: plan({ status: 'running' }) })).toBe('watch');
  expect(health(0, 200, { plan: plan({ status: 'held', because: 'inconclusive' }) })).toBe('watch');
  expect(health(0, 200, { plan: plan({ status: 'held', because: 'failed' }) })).toBe('failing');
  expect(health(0, 200, { plan: plan({ status: 'failed', because: 'failed' }) })).toBe('failing');
  expect(health(100, 200, { plan: plan({ status: 'completed' }) })).toBe('failing');
  expect(health(10, 200, { plan: plan({ status: 'completed' }) })).toBe('healthy');
  expect(health(21, 200, { plan: plan({ status: 'aborted', because: 'changed' }) })).toBe('failing');
  const forgiven = { finished: 100, failed: 100, times: 1 };
  expect(health(100, 200, { plan: plan({ status: 'running', forgiven }) })).toBe('healthy');
});
