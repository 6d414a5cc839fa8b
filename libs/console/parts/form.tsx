import { Field } from '@base-ui/react/field';
import { Form as BaseForm } from '@base-ui/react/form';
import { useEffect, useMemo, useRef, useState, type ComponentProps, type ReactElement, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import * as texts from '../texts/parts';
import { Button } from './button';
import { ErrorNote } from './states';

interface FormProps {
  readonly submit: () => void;
  readonly busy: boolean;
  readonly error: Error | null;
  /** The label of its button. */
  readonly verb: string;
  /** What it does can't be undone. */
  readonly danger?: boolean;
  /** There is nothing to send. */
  readonly disabled?: boolean;
  readonly cancel?: () => void;
  /** What it does, always in view above its buttons. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A form that is disabled while it is sent. Faults of a field are shown at the field of that `name`. Other errors are
 * shown above the buttons, including faults of names without a field.
 */
export function Form({
  submit,
  busy,
  error,
  verb,
  danger = false,
  disabled = false,
  cancel,
  note,
  children,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isElsewhere, setElsewhere] = useState(true);
  // The same object for the same error: another one would restore faults that a person has fixed.
  const errors = useMemo(() => {
    const faults = error instanceof ApiError ? error.fields : {};
    return Object.fromEntries(Object.entries(faults).map(([name, messages]) => [name, [...messages]]));
  }, [error]);
  useEffect(() => {
    const names = error instanceof ApiError ? Object.keys(error.fields) : [];
    const hasPlace = (name: string) =>
      form.current?.querySelector(`[data-faults-of="${CSS.escape(name)}"]`) instanceof Element;
    setElsewhere(names.length === 0 || !names.every(hasPlace));
    // The fault's field, even if it is scrolled out of view.
    const places = [...(form.current?.querySelectorAll<HTMLElement>('[data-faults-of]') ?? [])];
    const first = places.find(({ dataset }) => names.includes(dataset['faultsOf'] ?? ''));
    first?.scrollIntoView({ block: 'nearest' });
    first?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  }, [error]);
  const held = useRef<HTMLElement>(null);
  useEffect(() => {
    if (busy) return;
    // An inert field loses the focus. It returns if the form stays.
    const stays = error !== null || form.current?.closest('.dialog') === null;
    if (stays && document.activeElement === document.body) held.current?.focus();
    held.current = null;
  }, [busy, error]);
  return (
    <BaseForm
      ref={form}
      className="form"
      errors={errors}
      onSubmit={(event) => {
        event.preventDefault();
        held.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
        submit();
      }}
    >
      {/* Fields can't change while they are sent. */}
      <div className="fields" inert={busy}>
        {children}
      </div>
      {error !== null && isElsewhere && <ErrorNote error={error} />}
      <footer className="buttons">
        {note}
        {cancel !== undefined && <Button onClick={cancel}>{texts.cancel}</Button>}
        <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
          {verb}
        </Button>
      </footer>
    </BaseForm>
  );
}

interface LabelProps {
  /** The server's name of the field, whose faults are shown here. */
  readonly name: string;
  readonly label: ReactNode;
  readonly help?: ReactNode;
}

function Labelled({ name, label, help, children }: LabelProps & { readonly children: ReactNode }) {
  return (
    <Field.Root name={name} data-faults-of={name} className="field">
      <Field.Label>{label}</Field.Label>
      {children}
      {help !== undefined && <Field.Description className="help">{help}</Field.Description>}
      <Field.Error className="fault" />
    </Field.Root>
  );
}

interface ValueProps<Value> extends LabelProps {
  readonly value: Value;
  readonly change: (value: Value) => void;
}

interface TextProps
  extends ValueProps<string>, Omit<ComponentProps<'input'>, 'name' | 'value' | 'onChange' | 'defaultValue' | 'ref'> {
  /** Another control than an input. */
  readonly render?: ReactElement;
}

export function TextField({ name, label, help, value, change, ...rest }: TextProps) {
  return (
    <Labelled name={name} label={label} help={help}>
      <Field.Control {...rest} value={value} onValueChange={change} />
    </Labelled>
  );
}

interface TextAreaProps extends ValueProps<string> {
  readonly rows?: number;
}

export function TextArea({ rows = 4, ...field }: TextAreaProps) {
  return <TextField {...field} render={<textarea rows={rows} />} />;
}

interface SelectFieldProps<Value extends string> extends ValueProps<Value> {
  readonly options: readonly (readonly [value: Value, text: string])[];
}

/** The browser's own list works with every keyboard, phone and screen reader. */
export function SelectField<Value extends string>({ change, options, ...field }: SelectFieldProps<Value>) {
  return (
    <TextField
      {...field}
      change={(next) => change(next as Value)}
      render={
        <select>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      }
    />
  );
}

export function CheckField({ name, label, help, value, change }: ValueProps<boolean>) {
  return (
    <label className="check">
      <input type="checkbox" name={name} checked={value} onChange={({ target }) => change(target.checked)} />
      <span>
        {label}
        {help !== undefined && <small>{help}</small>}
      </span>
    </label>
  );
}

/** Fields that belong together, such as the checkboxes of a list. Faults of `name` are shown below them. */
export function Group({ name, label, help, children }: LabelProps & { readonly children: ReactNode }) {
  return (
    <Field.Root name={name} data-faults-of={name} className="field" render={<fieldset />}>
      <legend>{label}</legend>
      {help !== undefined && <p className="help">{help}</p>}
      {children}
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}
