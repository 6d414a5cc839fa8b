import { useEffect } from 'react';

/** Names the page after what is shown, until that is gone: the window's list, the history and screen readers tell it. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Sluice`;
    return () => {
      document.title = before;
    };
  }, [title]);
}
