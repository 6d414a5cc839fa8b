import { useState } from 'react';
import { Button } from '../../parts/button';
import { STATUSES } from './statuses';

interface OffersFilterProps {
  readonly status: string;
  readonly product: string;
  /** Told what the address holds from now on. */
  readonly choose: (filter: Readonly<Record<string, string>>) => void;
}

export function OffersFilter({ status, product, choose }: OffersFilterProps) {
  const [typed, setTyped] = useState(product);
  const show = (next: { readonly status: string; readonly product: string }): void =>
    choose(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')));
  return (
    <form
      className="offer-filter"
      role="search"
      aria-label="Offers"
      onSubmit={(event) => {
        event.preventDefault();
        show({ status, product: typed.trim() });
      }}
    >
      <label className="field">
        <span>Status</span>
        <select value={status} onChange={({ target }) => show({ status: target.value, product: typed.trim() })}>
          <option value="">All</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Product</span>
        <input value={typed} onChange={({ target }) => setTyped(target.value)} placeholder="id in the store" />
      </label>
      <div className="buttons">
        <Button type="submit">Show</Button>
        {(status !== '' || product !== '') && (
          <Button kind="quiet" onClick={() => show({ status: '', product: '' })}>
            Show all
          </Button>
        )}
      </div>
    </form>
  );
}
