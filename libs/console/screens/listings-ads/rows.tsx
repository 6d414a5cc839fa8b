import { Field } from '@base-ui/react/field';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button';
import { Pager } from '../../parts/pager';

const SHOWN = 25;

/** What is wrong with a list as a whole, as the server names it. */
export function GroupFault({ name }: { readonly name: string }) {
  return (
    <Field.Root name={name} data-faults-of={name} className="group-fault">
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}

/** Rows of fields, to add and to remove; a long list is shown in pages. */
export function Rows<Row extends { readonly key: number }>({
  name,
  what,
  rows,
  faultAt,
  add,
  remove,
  children,
}: {
  /** As the server calls the list. */
  readonly name: string;
  /** What one of them is, for example `rate`. */
  readonly what: string;
  readonly rows: readonly Row[];
  /** The first row that something is wrong with. */
  readonly faultAt: number | undefined;
  readonly add: () => void;
  readonly remove: (row: Row) => void;
  /** The fields of a row; `at` counts from 0. */
  readonly children: (row: Row, at: number) => ReactNode;
}) {
  const [page, setPage] = useState(1);
  const list = useRef<HTMLDivElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const [focus, setFocus] = useState<'last' | 'adder'>();
  const last = Math.max(1, Math.ceil(rows.length / SHOWN));
  const current = Math.min(page, last);
  const from = (current - 1) * SHOWN;

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
                {children(row, from + index)}
                <Button
                  kind="quiet"
                  aria-label={`Remove ${what} ${number}`}
                  onClick={() => {
                    remove(row);
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
            add();
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
