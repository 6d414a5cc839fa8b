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

type Choice = '7' | '30' | '90' | '365' | 'own';

const CHOICES: readonly (readonly [Choice, string])[] = [
  ['7', texts.last7],
  ['30', texts.last30],
  ['90', texts.last90],
  ['365', texts.lastYear],
  ['own', texts.otherDays],
];

/** The days up to now. */
export function lastDays(count: number): DayRange {
  const now = Date.now();
  return { from: dayOf(now - (count - 1) * DAY_MS), to: dayOf(now) };
}

interface RangeFieldProps {
  readonly range: DayRange;
  readonly choose: (range: DayRange) => void;
  readonly error: Error | null;
}

export function RangeField({ range, choose, error }: RangeFieldProps) {
  const [choice, setChoice] = useState<Choice>('30');
  const [own, setOwn] = useState(range);
  const field = bind(own, (changes) => setOwn({ ...own, ...changes }));
  return (
    <div className="range">
      <SelectField
        name="range"
        label={texts.period}
        value={choice}
        change={(next) => {
          setChoice(next);
          if (next === 'own') setOwn(range);
          else choose(lastDays(Number(next)));
        }}
        options={CHOICES}
      />
      {choice === 'own' && (
        <Form submit={() => choose(own)} busy={false} error={error} verb={texts.show}>
          <TextField {...field('from')} label={texts.from} type="date" required />
          <TextField {...field('to')} label={texts.to} type="date" required />
        </Form>
      )}
    </div>
  );
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
