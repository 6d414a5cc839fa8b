import { planRulesSchema, type PlanTemplate } from '@sluice/contracts';
import { draftOf, firstDraft, planOf, rulesOf, withStep, withWindow } from './plan-draft';

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

describe('a template', () => {
  const template: PlanTemplate = {
    ...planRulesSchema.omit({ start_at: true }).parse({
      steps: [30, 120, 2_880].map((hold_minutes, at) => ({ percentage: 10 * (at + 1), hold_minutes, min_devices: 7 })),
      gates: { failures: { threshold_percent: 3.5 }, webhook: { url: 'https://gate.example.com/' } },
      windows: [{ days: ['sun', 'mon'], from: '08:00', to: '24:00' }],
      ...{ time_zone: 'Asia/Tokyo', on_fail: 'recall' },
    }),
    ...{ name: 'careful', revision: 1, updated_at: '2026-01-01T00:00:00.000Z' },
  };

  it('fills the form with its rules', () => {
    const filled = draftOf(template);
    expect(filled.steps.map(({ lasts, unit }) => [lasts, unit])).toEqual([
      ['30', '1'],
      ['2', '60'],
      ['2', '1440'],
    ]);
    expect(readAs(rulesOf(filled)).data).toEqual(readAs(template).data);
  });

  it('is sent by its name, unless its rules were changed', () => {
    const filled = draftOf(template);
    expect(planOf(filled, template)).toEqual({ template: 'careful', start_at: null });
    expect(planOf({ ...filled, start: '2026-02-01T10:00' }, template)).toMatchObject({ template: 'careful' });
    expect(planOf({ ...filled, threshold: '4' }, template)).toMatchObject({ on_fail: 'recall' });
    expect(planOf(filled, undefined)).not.toHaveProperty('template');
  });
});
