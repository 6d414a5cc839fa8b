import { useState } from 'react';
import type { Page } from '../api/client';
import { Button } from './button';

/** From so many pages on, one is named rather than turned to. */
const MANY_PAGES = 5;

export function Pager({ meta, turn }: { readonly meta: Page; readonly turn: (page: number) => void }) {
  const { current_page: page, last_page: last, total } = meta;
  if (last <= 1) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <Button disabled={page <= 1} onClick={() => turn(page - 1)}>
        Previous
      </Button>
      <span>
        Page {page.toLocaleString()} of {last.toLocaleString()} · {total.toLocaleString()} in all
      </span>
      <Button disabled={page >= last} onClick={() => turn(page + 1)}>
        Next
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
        aria-label="Page"
        placeholder="Page"
        min={1}
        max={last}
        step={1}
        required
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      <Button type="submit">Go</Button>
    </form>
  );
}
