import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';

export interface Tab {
  /** Behind the root; the first has none. */
  readonly path: string;
  readonly name: string;
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
  useEffect(() => {
    const here = nav.current?.querySelector('[aria-current]');
    here?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [location]);
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
