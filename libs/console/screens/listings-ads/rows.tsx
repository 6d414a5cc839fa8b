import { Field } from '@base-ui/react/field';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { bind } from '../../parts/bind';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/form';
import { Pager } from '../../parts/pager';
import * as texts from '../../texts/listings/settings';
import { newKey } from './feed-draft';

const SHOWN = 25;

/** The faults of a list as a whole. `name`: the server's name of the list. */
export function GroupFault({ name }: { readonly name: string }) {
  return (
    <Field.Root name={name} data-faults-of={name} className="group-fault">
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}

interface RowsProps<Row extends { readonly key: number }> {
  /** The server's name of the list. */
  readonly name: string;
  /** The name of one entry, for example `tax rate`. */
  readonly what: string;
  readonly rows: readonly Row[];
  /** The first row that has a fault. */
  readonly faultAt: number | undefined;
  /** The content of a new row. */
  readonly empty: Omit<Row, 'key'>;
  readonly change: (rows: readonly Row[]) => void;
  /** The fields of a row, bound by `field`. */
  readonly children: (field: ReturnType<typeof bind<Row>>) => ReactNode;
}

/** Rows of fields that can be added and removed. A long list is shown in pages. */
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
  const addButton = useRef<HTMLButtonElement>(null);
  const [focus, setFocus] = useState<'last' | 'add'>();
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
    if (focus === 'add') addButton.current?.focus();
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
              <div key={row.key} role="group" aria-label={texts.entry(what, number)}>
                {children(bind(row, (changes) => patch(row, changes), `${name}.${from + index}.`))}
                <Button
                  kind="quiet"
                  aria-label={texts.removeEntry(what, number)}
                  onClick={() => {
                    change(rows.filter(({ key }) => key !== row.key));
                    setFocus('add');
                  }}
                >
                  {texts.remove}
                </Button>
              </div>
            );
          })}
        </div>
      )}
      <Pager meta={{ current_page: current, last_page: last, per_page: SHOWN, total: rows.length }} turn={setPage} />
      <div>
        <Button
          ref={addButton}
          onClick={() => {
            change([...rows, { ...empty, key: newKey() } as Row]);
            setPage(Math.ceil((rows.length + 1) / SHOWN));
            setFocus('last');
          }}
        >
          {texts.add(what)}
        </Button>
      </div>
    </div>
  );
}

/** The two-letter code of a country. */
export function CountryField({
  change,
  ...rest
}: Pick<ComponentProps<typeof TextField>, 'name' | 'value' | 'change' | 'placeholder'>) {
  return (
    <TextField
      {...rest}
      label={texts.rateCountry}
      required
      maxLength={2}
      change={(code) => change(code.toUpperCase())}
    />
  );
}
