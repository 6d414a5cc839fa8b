import { useEffect, useRef, type RefObject } from 'react';
import { Link, useLocation } from 'wouter';

export interface Tab {
  /** Behind the root; the first has none. */
  readonly path: string;
  readonly name: string;
}

/** Keeps the current one of a row of links in the middle of it, where the row scrolls. */
export function useCurrentInView(row: RefObject<HTMLElement | null>): void {
  const [location] = useLocation();
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row.current || !here) return;
    row.current.scrollLeft =
      here.offsetLeft - row.current.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2;
  }, [row, location]);
}

/** Links to the parts of a screen. Where they are wider than the window, the one that is shown is brought into view. */
export function Tabs({
  label,
  root,
  tabs,
}: {
  readonly label: string;
  readonly root: string;
  readonly tabs: readonly Tab[];
}) {
  const [location] = useLocation();
  const nav = useRef<HTMLElement>(null);
  useCurrentInView(nav);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ path, name }) => {
        const here = path === '' ? location === root : location.startsWith(root + path);
        return (
          <Link key={path} to={root + path} aria-current={here ? 'page' : undefined}>
            {name}
          </Link>
        );
      })}
    </nav>
  );
}
