import { Field } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { bind } from '../../parts/bind';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/form';
import { Pager } from '../../parts/pager';
import { newKey } from './feed-draft';

const SHOWN = 25;

/** What is wrong with a list as a whole, as the server names it. */
export function GroupFault({ name }: { readonly name: string }) {
  return (
    <Field.Root name={name} data-faults-of={name} className="group-fault">
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}

interface RowsProps<Row extends { readonly key: number }> {
  /** As the server calls the list. */
  readonly name: string;
  /** What one of them is, for example `rate`. */
  readonly what: string;
  readonly rows: readonly Row[];
  /** The first row that something is wrong with. */
  readonly faultAt: number | undefined;
  /** A row that is added. */
  readonly empty: Omit<Row, 'key'>;
  readonly change: (rows: readonly Row[]) => void;
  /** The fields of a row, bound by `field`. */
  readonly children: (field: ReturnType<typeof bind<Row>>) => ReactNode;
}

/** Rows of fields, to add and to remove; a long list is shown in pages. */
export function Rows<Row extends { readonly key: number }>({
  name,
  what,
  rows,
  faultAt,
  empty,
  change,
  children,
}: RowsProps<Row>) {
  const [page, setPage] = useState(1);
  const list = useRef<HTMLDivElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const [focus, setFocus] = useState<'last' | 'adder'>();
  const last = Math.max(1, Math.ceil(rows.length / SHOWN));
  const current = Math.min(page, last);
  const from = (current - 1) * SHOWN;

  const patch = (row: Row, changes: Partial<Row>): void =>
    change(rows.map((each) => (each.key === row.key ? { ...each, ...changes } : each)));

  useEffect(() => {
    if (faultAt !== undefined) setPage(Math.floor(faultAt / SHOWN) + 1);
  }, [faultAt]);
  useEffect(() => {
    if (focus === undefined) return;
    if (focus === 'adder') adder.current?.focus();
    else list.current?.lastElementChild?.querySelector('input')?.focus();
    setFocus(undefined);
  }, [focus]);

  return (
    <div className="stacked">
      <GroupFault name={name} />
      {rows.length > 0 && (
        <div className="field-rows" ref={list}>
          {rows.slice(from, from + SHOWN).map((row, index) => {
            const number = from + index + 1;
            return (
              <div key={row.key} role="group" aria-label={`${what} ${number}`}>
                {children(bind(row, (changes) => patch(row, changes), `${name}.${from + index}.`))}
                <Button
                  kind="quiet"
                  aria-label={`Remove ${what} ${number}`}
                  onClick={() => {
                    change(rows.filter(({ key }) => key !== row.key));
                    setFocus('adder');
                  }}
                >
                  Remove
                </Button>
              </div>
            );
          })}
        </div>
      )}
      <Pager meta={{ current_page: current, last_page: last, per_page: SHOWN, total: rows.length }} turn={setPage} />
      <div>
        <Button
          ref={adder}
          onClick={() => {
            change([...rows, { ...empty, key: newKey() } as Row]);
            setPage(Math.ceil((rows.length + 1) / SHOWN));
            setFocus('last');
          }}
        >
          Add a {what}
        </Button>
      </div>
    </div>
  );
}

/** A country by its two letters. */
export function CountryField({
  change,
  ...rest
}: Pick<ComponentProps<typeof TextField>, 'name' | 'value' | 'change' | 'placeholder'>) {
  return <TextField {...rest} label="Country" required maxLength={2} change={(code) => change(code.toUpperCase())} />;
}
