import { isSaid, sentence } from './timeline';

it('says why a plan is held or ended, in place of its members', () => {
  const plan = 'the rollout plan of {build} in {channel}';
  const said = (type: string, because: string) => sentence(type, null, { plan_because: because });
  expect(said('PlanHeld', 'manual')).toBe(`held ${plan}`);
  expect(said('PlanHeld', 'failed')).toBe(`held ${plan}, because a gate failed`);
  expect(said('PlanAborted', 'deleted')).toBe(`deleted ${plan}`);
  expect(said('PlanAborted', 'changed')).toBe(`ended ${plan}, because the build was changed`);
  expect(['plan_status', 'plan_because', 'plan_step'].map((member) => isSaid('PlanHeld', member))).toEqual([
    ...[true, true],
    false,
  ]);
  expect(isSaid('BuildEdited', 'plan_status')).toBe(false);
});
