import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ComponentProps, type ReactNode } from 'react';
import type { List, Page } from '../api/client';
import * as texts from '../texts/parts';
import { Button } from './button';
import { QueryState } from './states';

/** From this number of pages on, a field takes the number of a page. */
const MANY_PAGES = 5;

export function Pager({ meta, turn }: { readonly meta: Page; readonly turn: (page: number) => void }) {
  const { current_page: page, last_page: last, total } = meta;
  if (last <= 1) return null;
  return (
    <nav className="pager" aria-label={texts.pages}>
      <Button disabled={page <= 1} onClick={() => turn(page - 1)}>
        {texts.previous}
      </Button>
      <span>{texts.pageOf(page, last, total)}</span>
      <Button disabled={page >= last} onClick={() => turn(page + 1)}>
        {texts.next}
      </Button>
      {last >= MANY_PAGES && <GoTo last={last} turn={turn} />}
    </nav>
  );
}

function GoTo({ last, turn }: { readonly last: number; readonly turn: (page: number) => void }) {
  const [wanted, setWanted] = useState('');
  return (
    <form
      className="go-to"
      onSubmit={(event) => {
        event.preventDefault();
        turn(Number(wanted));
        setWanted('');
      }}
    >
      <input
        type="number"
        aria-label={texts.page}
        placeholder={texts.page}
        min={1}
        max={last}
        step={1}
        required
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      <Button type="submit">{texts.go}</Button>
    </form>
  );
}

interface ListedProps<Item> extends Pick<ComponentProps<typeof QueryState>, 'what' | 'note'> {
  readonly of: Pick<UseQueryResult<List<Item>>, 'data' | 'isPending' | 'error' | 'refetch'>;
  readonly turn: (page: number) => void;
  /** Shown if the whole list is empty. */
  readonly empty?: ReactNode;
  readonly children: (items: readonly Item[], meta: Page) => ReactNode;
}

/** One page of a list, in each of its states, with its pager below. */
export function Listed<Item>({ of: list, turn, empty, children, ...state }: ListedProps<Item>) {
  return (
    <>
      <QueryState of={list} {...state} />
      {list.data?.meta.total === 0 && empty}
      {list.data !== undefined && list.data.data.length > 0 && children(list.data.data, list.data.meta)}
      {list.data !== undefined && <Pager meta={list.data.meta} turn={turn} />}
    </>
  );
}
