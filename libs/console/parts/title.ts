import { useEffect } from 'react';
import { pageTitle } from '../texts/frame';

/** Sets the title of the page while the component is shown, for tabs, the browser's history and screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = pageTitle(title);
    return () => {
      document.title = before;
    };
  }, [title]);
}
