import { useEffect } from 'react';
import { useSearchParams } from 'wouter';

interface Wanted {
  readonly what: string;
  readonly search: URLSearchParams;
  /** The person chose it in the console. Another site can link to a dialog, but never cause an action. */
  readonly isChosen: boolean;
}

/** With it, the state of a navigation marks what a person chose in the console. */
export const CHOSEN = { chosen: true };

/** Opens what the address asks for, such as `?do=upload`, and removes that from the address. */
export function useWanted(open: (wanted: Wanted) => void): void {
  const [search, setSearch] = useSearchParams();
  const what = search.get('do');
  useEffect(() => {
    if (what === null) return;
    const isChosen = (history.state as { chosen?: unknown } | null)?.chosen === true;
    setSearch(
      (before) => {
        const rest = new URLSearchParams(before);
        rest.delete('do');
        return rest;
      },
      { replace: true },
    );
    open({ what, search, isChosen });
  });
}
