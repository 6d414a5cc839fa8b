import { planRulesSchema } from '@sluice/contracts';
import { firstDraft, rulesOf, withStep, withWindow } from './plan-draft';

const draft = firstDraft('Europe/Berlin');
const readAs = (sent: unknown) => planRulesSchema.safeParse(sent);

it('starts as a plan that the API accepts', () => {
  const rules = rulesOf(draft);
  expect(readAs(rules).success).toBe(true);
  expect(rules.steps.map(({ percentage }) => percentage)).toEqual([5, 25, 50, 100]);
  expect(rules.steps[0]).toEqual({ percentage: 5, hold_minutes: 1_440, min_devices: 100 });
  expect(rules).toMatchObject({ on_fail: 'hold', gates: { webhook: null }, windows: [], start_at: null });
});

it('sends the time of a step in minutes, and the time zone with windows alone', () => {
  const [first] = draft.steps;
  const steps = [{ ...first!, lasts: '1.5', unit: '60' as const }];
  expect(rulesOf({ ...draft, steps }).steps[0]?.hold_minutes).toBe(90);
  expect(rulesOf(draft)).not.toHaveProperty('time_zone');
  const windows = withWindow(draft.windows);
  expect(readAs(rulesOf({ ...draft, windows })).data).toMatchObject({
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
    time_zone: 'Europe/Berlin',
  });
});

it('sends no number for an empty field, so that the server rejects it there', () => {
  const [first] = draft.steps;
  const sent = rulesOf({ ...draft, threshold: '', steps: [{ ...first!, percentage: ' ', lasts: '', devices: 'x' }] });
  // As JSON has it.
  const { error } = readAs(JSON.parse(JSON.stringify(sent)));
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([
    'steps.0.percentage',
    'steps.0.hold_minutes',
    'steps.0.min_devices',
    'gates.failures.threshold_percent',
  ]);
});

it('adds steps and windows with ids of their own', () => {
  const steps = withStep(draft.steps.slice(1));
  expect(steps.at(-1)).toMatchObject({ percentage: '100', lasts: '1', devices: '100' });
  for (const rows of [steps, withWindow(withWindow([]))])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});
