import type { Plan } from '@sluice/contracts';
import { Button } from '../../../parts/button';
import { Badge, Time, type Tone } from '../../../parts/values';
import * as texts from '../../../texts/plan';
import { isLive } from '../../builds/data';
import type { PlanAction } from './plan-actions';
import './plan-timeline.css';

type Mark = 'done' | 'now' | 'held' | 'failed' | 'later';

function markOf({ step, status }: Plan, number: number): Mark {
  const present = step ?? 0;
  if (number !== present) return number < present ? 'done' : 'later';
  if (status === 'running') return 'now';
  if (status === 'completed') return 'done';
  return status === 'failed' ? 'failed' : 'held';
}

const isPresent = (mark: Mark): boolean => mark === 'now' || mark === 'held' || mark === 'failed';

/** On a card: the steps as a line, without words. */
export function StepLine({ plan }: { readonly plan: Plan }) {
  return (
    <span className="step-line" role="img" aria-label={texts.stepOf(plan.step, plan.steps.length)}>
      {plan.steps.map(({ percentage }, index) => (
        <span key={percentage} className={markOf(plan, index + 1)} style={{ flexGrow: widthOf(plan, index) }} />
      ))}
    </span>
  );
}

/** A step is as wide as its share of the devices. */
const widthOf = ({ steps }: Plan, index: number): number =>
  (steps[index]?.percentage ?? 0) - (steps[index - 1]?.percentage ?? 0);

interface PlanTimelineProps {
  readonly plan: Plan;
  /** Opens the dialog of an action. */
  readonly start: (action: PlanAction) => void;
}

/** The steps of a plan from left to right, on a narrow screen from top to bottom, with what a person can do there. */
export function PlanTimeline({ plan, start }: PlanTimelineProps) {
  const { step, steps, entered, status } = plan;
  const present = Math.max(step ?? 0, 1);
  const next = Math.min((step ?? 0) + 1, steps.length);
  return (
    <ol className="plan-timeline" aria-label={texts.steps} tabIndex={0}>
      {steps.map(({ percentage, hold_minutes: minutes, min_devices: devices }, index) => {
        const number = index + 1;
        const mark = markOf(plan, number);
        return (
          <li key={percentage} className={mark} aria-current={isPresent(mark) ? 'step' : undefined}>
            <p>
              <strong>{texts.ofDevices(percentage)}</strong>{' '}
              {mark === 'now' && <Badge tone="busy">{texts.presentStep}</Badge>}
            </p>
            <p>{texts.needs(minutes, devices)}</p>
            <Entered of={entered.find((each) => each.step === number)} />
            {mark === 'now' && <Gates plan={plan} />}
            {isLive(plan) && (
              <div className="buttons">
                {number === present &&
                  (status === 'running' ? (
                    <Button onClick={() => start('hold')}>{texts.hold}</Button>
                  ) : (
                    <Button onClick={() => start('resume')}>{texts.resume}</Button>
                  ))}
                {number === next && (
                  <Button onClick={() => start('skip')}>{next === step ? texts.skipToEnd : texts.skipHere}</Button>
                )}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

const VERDICTS = { pass: 'good', fail: 'bad', inconclusive: 'warn' } as const;

export const VerdictBadge = ({ of: verdict }: { readonly of: keyof typeof VERDICTS }) => (
  <Badge tone={VERDICTS[verdict]}>{texts.verdicts[verdict]}</Badge>
);

/** When the plan entered the step, and how that ended. */
function Entered({ of: entered }: { readonly of: Plan['entered'][number] | undefined }) {
  if (entered === undefined) return null;
  const { at, verdict, skipped } = entered;
  return (
    <p className="dim">
      {texts.began} <Time at={at} />
      {verdict !== null && (
        <>
          {' '}
          <VerdictBadge of={verdict} />
        </>
      )}
      {skipped && (
        <>
          {' '}
          <Badge tone="dim">{texts.skipped}</Badge>
        </>
      )}
    </p>
  );
}

interface Gate {
  readonly name: string;
  readonly tone: Tone;
  readonly words: string;
  readonly value: string;
  /** As a share of 1. */
  readonly reached?: number;
}

/** What the present step still waits for. */
function Gates({ plan }: { readonly plan: Plan }) {
  return (
    <ul className="gates" aria-label={texts.gates}>
      {gatesOf(plan).map(({ name, tone, words, value, reached }) => (
        <li key={name}>
          <span>
            {value === '' ? name : texts.gate(name, value)} <Badge tone={tone}>{words}</Badge>
          </span>
          {reached !== undefined && (
            <span className="bar-meter" aria-hidden="true">
              <span style={{ width: `${Math.round(100 * Math.min(1, reached))}%` }} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

const MINUTE_MS = 60_000;
const MET = { tone: 'good', words: texts.met } as const;
const WAITS = { tone: 'busy', words: texts.webhookAnswers.wait } as const;
const ANSWERS = { pass: 'good', fail: 'bad', wait: 'busy' } as const;

function gatesOf({
  step,
  steps,
  hold_until: until,
  now,
  limit_percent: limit,
  gates,
  webhook_answer: answer,
}: Plan): Gate[] {
  const present = steps[(step ?? 0) - 1];
  if (present === undefined) return [];
  const { hold_minutes: minutes, min_devices: devices } = present;
  const lasts = Math.max(1, minutes);
  const found: Gate[] = [];
  if (until !== null) {
    const left = Date.parse(until) - Date.now();
    const passed = lasts - Math.ceil(Math.max(0, left) / MINUTE_MS);
    const value = texts.timeOf(Math.max(0, passed), lasts);
    found.push({ name: texts.time, ...(left <= 0 ? MET : WAITS), value, reached: passed / lasts });
  }
  if (now !== null && devices > 0) {
    const { finished } = now;
    const value = texts.devicesOf(finished, devices);
    found.push({ name: texts.devices, ...(finished >= devices ? MET : WAITS), value, reached: finished / devices });
  }
  if (now !== null && now.finished > 0) {
    const state = now.failed_percent <= limit ? MET : ({ tone: 'warn', words: texts.aboveLimit } as const);
    found.push({
      name: texts.failures,
      ...state,
      value: texts.limitOf(texts.percent(now.failed_percent), texts.percent(limit)),
    });
  }
  if (gates.webhook !== null && answer !== null) {
    const words = texts.webhookAnswers[answer.verdict];
    found.push({ name: texts.webhookGate, tone: ANSWERS[answer.verdict], words, value: '' });
  }
  return found;
}
