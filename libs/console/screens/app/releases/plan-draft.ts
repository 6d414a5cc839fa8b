import type { PlanRules, PlanStep, PlanTemplate, PlanWindow, Weekday } from '@sluice/contracts';

/** A number as it is typed. */
type Typed = string;

export interface StepDraft {
  readonly id: number;
  readonly percentage: Typed;
  readonly lasts: Typed;
  /** In minutes. */
  readonly unit: '1' | '60' | '1440';
  readonly devices: Typed;
}

export interface WindowDraft extends Omit<PlanWindow, 'days'> {
  readonly id: number;
  readonly days: ReadonlySet<Weekday>;
}

export interface PlanDraft {
  readonly steps: readonly StepDraft[];
  readonly on_fail: PlanRules['on_fail'];
  readonly threshold: Typed;
  readonly silence: Typed;
  readonly silenceAfter: Typed;
  /** Its address; empty: there is none. */
  readonly webhook: string;
  /** Local, as a field of the browser has it; empty: immediately. */
  readonly start: string;
  readonly windows: readonly WindowDraft[];
  readonly zone: string;
}

const PERCENTAGES = [5, 25, 50, 100];
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;

export const firstDraft = (zone: string): PlanDraft => ({
  steps: PERCENTAGES.map((percentage, id) => ({
    ...{ id, percentage: String(percentage), lasts: '1', unit: '1440', devices: '100' },
  })),
  on_fail: 'hold',
  ...{ threshold: '2', silence: '50', silenceAfter: '1440' },
  ...{ webhook: '', start: '', windows: [], zone },
});

const UNITS = ['1440', '60', '1'] as const;

export const stepDrafts = (steps: readonly PlanStep[]): readonly StepDraft[] =>
  steps.map(({ percentage, hold_minutes: minutes, min_devices: devices }, id) => {
    const unit = UNITS.find((each) => minutes % Number(each) === 0) ?? '1';
    return {
      ...{ id, percentage: String(percentage), devices: String(devices) },
      ...{ lasts: String(minutes / Number(unit)), unit },
    };
  });

/** The rules of a template. */
export const draftOf = ({ steps, gates, on_fail, windows, time_zone: zone }: PlanTemplate): PlanDraft => ({
  steps: stepDrafts(steps),
  on_fail,
  threshold: String(gates.failures.threshold_percent),
  silence: String(gates.silence.threshold_percent),
  silenceAfter: String(gates.silence.after_minutes),
  webhook: gates.webhook?.url ?? '',
  start: '',
  windows: windows.map(({ days, from, to }, id) => ({ id, days: new Set(days), from, to })),
  zone,
});

/** What sets the plan: the template by its name, unless its rules were changed. */
export function planOf(draft: PlanDraft, template: PlanTemplate | undefined) {
  const rules = rulesOf(draft);
  const { start_at } = rules;
  const before = template && rulesOf({ ...draftOf(template), start: draft.start });
  return template !== undefined && JSON.stringify(before) === JSON.stringify(rules)
    ? { template: template.name, start_at }
    : rules;
}

const nextId = (all: readonly { readonly id: number }[]): number => Math.max(-1, ...all.map(({ id }) => id)) + 1;

/** As the last one, for all devices. */
export function withStep(steps: readonly StepDraft[]): readonly StepDraft[] {
  const { lasts, unit, devices } = steps.at(-1) ?? { lasts: '1', unit: '1440', devices: '100' };
  return [...steps, { id: nextId(steps), percentage: '100', lasts, unit, devices }];
}

/** On weekdays, in working hours. */
export const withWindow = (windows: readonly WindowDraft[]): readonly WindowDraft[] => [
  ...windows,
  { id: nextId(windows), days: new Set(WEEKDAYS), from: '09:00', to: '17:00' },
];

/** The plan of the API. What is no number is null, which the server rejects at its field. */
export function rulesOf(draft: PlanDraft) {
  const { steps, on_fail, windows } = draft;
  return {
    steps: stepsOf(steps),
    gates: {
      failures: { threshold_percent: numberOf(draft.threshold) },
      silence: { after_minutes: numberOf(draft.silenceAfter), threshold_percent: numberOf(draft.silence) },
      webhook: draft.webhook.trim() === '' ? null : { url: draft.webhook.trim() },
    },
    on_fail,
    windows: windows.map(({ days, from, to }) => ({ days: [...days], from: from.trim(), to: to.trim() })),
    ...(windows.length > 0 && { time_zone: draft.zone.trim() }),
    start_at: draft.start === '' ? null : new Date(draft.start).toISOString(),
  };
}

/** As the API has them. */
export const stepsOf = (steps: readonly StepDraft[]): readonly Nullable<PlanStep>[] =>
  steps.map(({ percentage, lasts, unit, devices }) => ({
    percentage: numberOf(percentage),
    hold_minutes: minutesOf(lasts, unit),
    min_devices: numberOf(devices),
  }));

type Nullable<Members> = { readonly [Name in keyof Members]: Members[Name] | null };

const numberOf = (typed: Typed): number | null => (typed.trim() === '' ? null : Number(typed));

/** Half an hour is 0.5 hours. */
function minutesOf(lasts: Typed, unit: StepDraft['unit']): number | null {
  const amount = numberOf(lasts);
  return amount === null ? null : Number((amount * Number(unit)).toFixed(6));
}
