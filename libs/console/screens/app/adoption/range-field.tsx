import { useState } from 'react';
import { bind } from '../../../parts/bind';
import { Form, SelectField, TextField } from '../../../parts/form';
import * as texts from '../../../texts/adoption';

const DAY_MS = 86_400_000;

/** Days in UTC, both included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const CHOICES = [
  ['7', texts.last7],
  ['30', texts.last30],
  ['90', texts.last90],
  ['365', texts.lastYear],
  ['own', texts.otherDays],
] as const;
type Choice = (typeof CHOICES)[number][0];
type LastDays = Exclude<Choice, 'own'>;

/** The days up to now, or chosen ones. */
export type Period = LastDays | DayRange;

/** As in the address. */
export function periodOf(params: URLSearchParams): Period {
  const from = params.get('from');
  const to = params.get('to');
  if (from !== null && to !== null) return { from, to };
  const days = CHOICES.map(([choice]) => choice).find((choice) => choice === params.get('days'));
  return days === undefined || days === 'own' ? '30' : days;
}

export function daysOf(period: Period): DayRange {
  if (typeof period === 'object') return period;
  const now = Date.now();
  return { from: dayOf(now - (Number(period) - 1) * DAY_MS), to: dayOf(now) };
}

const choiceOf = (period: Period): Choice => (typeof period === 'object' ? 'own' : period);

interface RangeFieldProps {
  readonly period: Period;
  readonly choose: (period: Period) => void;
  readonly error: Error | null;
}

export function RangeField({ period, choose, error }: RangeFieldProps) {
  const [choice, setChoice] = useState(choiceOf(period));
  const [own, setOwn] = useState(() => daysOf(period));
  // The address may change without this field, by Back or a link. A key would take the focus from the field.
  const address = JSON.stringify(period);
  const [shown, setShown] = useState(address);
  if (shown !== address) {
    setShown(address);
    setChoice(choiceOf(period));
    setOwn(daysOf(period));
  }
  const field = bind(own, (changes) => setOwn({ ...own, ...changes }));
  return (
    <>
      <SelectField
        name="range"
        label={texts.period}
        value={choice}
        change={(next) => {
          setChoice(next);
          if (next === 'own') setOwn(daysOf(period));
          else choose(next);
        }}
        options={CHOICES}
      />
      {choice === 'own' && (
        <Form submit={() => choose(own)} busy={false} error={error} verb={texts.show}>
          <TextField {...field('from')} label={texts.from} type="date" required />
          <TextField {...field('to')} label={texts.to} type="date" required />
        </Form>
      )}
    </>
  );
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
