import { Field } from '@base-ui/react/field';
import { useState } from 'react';

/** The value of an empty field. Without a value the server would choose one; it rejects this value. */
const NO_SHARE = -1;

const shareOf = (text: string): number => (text === '' ? NO_SHARE : Number(text));

interface PercentageProps {
  readonly label?: string;
  readonly help?: string;
  readonly min?: 0 | 1;
  readonly value: number;
  readonly change: (value: number) => void;
}

/** A share of the devices, by a slider or as a number; what is no whole number in bounds is for the server to refuse. */
export function Percentage({ label = 'Rollout', help, min = 0, value, change }: PercentageProps) {
  // Typed text is never changed, right or wrong: the share that is sent is the one that is shown.
  const [typed, setTyped] = useState<string>();
  // Unless the value is another one by now.
  const shown = typed !== undefined && shareOf(typed) === value ? typed : value;
  const isShare = Number.isInteger(value) && value >= min && value <= 100;
  const type = (text: string): void => {
    setTyped(text);
    change(shareOf(text));
  };
  const slide = (next: number): void => {
    setTyped(undefined);
    change(next);
  };
  return (
    // Without a name: a fault that was fixed would block the form.
    <Field.Root {...(!isShare && { 'data-faults-of': 'rollout_percentage' })} className="field">
      <span>{label}</span>
      <div className="percentage">
        <input
          type="range"
          aria-label={`${label} in percent`}
          min={min}
          max={100}
          value={isShare ? value : min}
          onChange={({ target }) => slide(target.valueAsNumber)}
        />
        <span className="percent">
          <input
            type="number"
            aria-label={`${label}, percent`}
            min={min}
            max={100}
            step={1}
            required
            aria-invalid={!isShare}
            value={shown}
            onChange={({ target }) => type(target.value)}
          />
          %
        </span>
      </div>
      {help !== undefined && <p className="help">{help}</p>}
      {!isShare && (
        <p className="fault" role="alert">
          It must be a whole number from {min} to 100.
        </p>
      )}
    </Field.Root>
  );
}
