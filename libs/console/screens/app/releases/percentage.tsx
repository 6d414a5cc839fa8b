import { Field } from '@base-ui/react/field';
import { Slider } from '@base-ui/react/slider';
import { useState } from 'react';

/** A share of the devices, by a slider or as a number. */
export function Percentage({
  label = 'Rollout',
  help,
  min = 0,
  value,
  change,
}: {
  readonly label?: string;
  readonly help?: string;
  readonly min?: 0 | 1;
  readonly value: number;
  readonly change: (value: number) => void;
}) {
  // What is being typed, however unfinished; the value is the last whole number that was in bounds.
  const [typed, setTyped] = useState<string>();
  const type = (text: string): void => {
    setTyped(text);
    const number = Number(text);
    if (text !== '' && Number.isInteger(number) && number >= min && number <= 100) change(number);
  };
  return (
    <Field.Root name="rollout_percentage" data-faults-of="rollout_percentage" className="field">
      <span>{label}</span>
      <div className="percentage">
        <Slider.Root value={value} min={min} max={100} onValueChange={change}>
          <Slider.Control className="slider">
            <Slider.Track className="slider-track">
              <Slider.Indicator className="slider-filled" />
              <Slider.Thumb className="slider-thumb" aria-label={`${label} in percent`} />
            </Slider.Track>
          </Slider.Control>
        </Slider.Root>
        <span className="percent">
          <input
            type="number"
            aria-label={`${label}, percent`}
            min={min}
            max={100}
            step={1}
            required
            value={typed ?? value}
            onChange={({ target }) => type(target.value)}
            onBlur={() => setTyped(undefined)}
          />
          %
        </span>
      </div>
      {help !== undefined && <p className="help">{help}</p>}
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}
