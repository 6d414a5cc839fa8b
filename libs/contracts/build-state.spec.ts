import { buildStateOf, type BuildState } from './build-state';
import type { BuildStatus } from './values';

describe('the state of a build', () => {
  it.each<[BuildStatus, number | null, boolean, BuildState]>([
    ['active', 100, true, 'live'],
    ['active', null, true, 'live'],
    ['active', 99, true, 'rolling_out'],
    ['active', 1, true, 'rolling_out'],
    ['active', 0, true, 'stopped'],
    ['active', 20, false, 'stopped'],
    ['active', 100, false, 'stopped'],
    ['paused', 100, true, 'stopped'],
    ['paused', 20, false, 'stopped'],
    ['uploading', 20, true, 'processing'],
    ['processing', 100, true, 'processing'],
    ['failed', 0, true, 'failed'],
    ['archived', 20, false, 'archived'],
  ])('of status %s at %s %%, enabled: %s, is %s', (status, rollout_percentage, rollout_enabled, state) => {
    expect(buildStateOf({ status, rollout_percentage, rollout_enabled })).toBe(state);
  });
});
