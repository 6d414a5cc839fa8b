import type { Page } from '../api/client';
import { Button } from './button';

export function Pager({ meta, turn }: { readonly meta: Page; readonly turn: (page: number) => void }) {
  const { current_page: page, last_page: last, total } = meta;
  if (last <= 1) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <Button disabled={page <= 1} onClick={() => turn(page - 1)}>
        Previous
      </Button>
      <span>
        Page {page} of {last} · {total.toLocaleString()} in all
      </span>
      <Button disabled={page >= last} onClick={() => turn(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
