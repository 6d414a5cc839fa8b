import { Field } from '@base-ui/react/field';
import { useState } from 'react';
import * as texts from '../../../texts/build-dialogs';

/** The value of an empty field. Without a value the server would choose one; it rejects this value. */
const NO_SHARE = -1;

const shareOf = (text: string): number => (text === '' ? NO_SHARE : Number(text));

interface PercentageProps {
  readonly help?: string;
  readonly min?: 0 | 1;
  readonly value: number;
  readonly change: (value: number) => void;
}

/** A share of the devices, by a slider or as a number. The server rejects a number out of bounds. */
export function Percentage({ help, min = 0, value, change }: PercentageProps) {
  // Typed text is never changed, right or wrong: the share that is sent is the one that is shown.
  const [typed, setTyped] = useState<string>();
  // Unless the value has changed since.
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
    // Without a name, because a fixed fault would block the form.
    <Field.Root {...(!isShare && { 'data-faults-of': 'rollout_percentage' })} className="field">
      <span>{texts.rollout}</span>
      <div className="percentage">
        <input
          type="range"
          aria-label={texts.percentage}
          min={min}
          max={100}
          value={isShare ? value : min}
          onChange={({ target }) => slide(target.valueAsNumber)}
        />
        <span className="percent">
          <input
            type="number"
            aria-label={texts.percentage}
            min={min}
            max={100}
            step={1}
            required
            aria-invalid={!isShare}
            value={shown}
            onChange={({ target }) => type(target.value)}
          />
          {texts.percentSign}
        </span>
      </div>
      {help !== undefined && <p className="help">{help}</p>}
      {!isShare && (
        <p className="fault" role="alert">
          {texts.wholeNumber(min)}
        </p>
      )}
    </Field.Root>
  );
}
