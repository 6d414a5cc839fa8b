import { useState } from 'react';
import { Button } from '../../parts/button';
import * as texts from '../../texts/listings/offers';
import { STATUSES } from './statuses';

interface OffersFilterProps {
  readonly status: string;
  readonly product: string;
  /** Called with the new filter for the address. */
  readonly choose: (filter: Readonly<Record<string, string>>) => void;
}

export function OffersFilter({ status, product, choose }: OffersFilterProps) {
  const [text, setText] = useState(product);
  const show = (next: { readonly status: string; readonly product: string }): void =>
    choose(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')));
  return (
    <form
      className="offer-filter"
      role="search"
      aria-label={texts.filter}
      onSubmit={(event) => {
        event.preventDefault();
        show({ status, product: text.trim() });
      }}
    >
      <label className="field">
        <span>{texts.status}</span>
        <select value={status} onChange={({ target }) => show({ status: target.value, product: text.trim() })}>
          <option value="">{texts.all}</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{texts.product}</span>
        <input value={text} onChange={({ target }) => setText(target.value)} placeholder={texts.productHint} />
      </label>
      <div className="buttons">
        <Button type="submit">{texts.show}</Button>
        {(status !== '' || product !== '') && (
          <Button kind="quiet" onClick={() => show({ status: '', product: '' })}>
            {texts.showAll}
          </Button>
        )}
      </div>
    </form>
  );
}
