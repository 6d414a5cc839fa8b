import { useEffect, useRef, type ComponentType, type RefObject } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { NotFound } from './states';
import { useTitle } from './title';

export interface Tab<Props extends object = object> {
  /** Behind the root; the first has none. */
  readonly path: string;
  readonly name: string;
  readonly screen: ComponentType<Props>;
  /** Addresses below its own are its too. */
  readonly deep?: boolean;
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

interface TabsProps<Props extends object> {
  /** What they are parts of, as the title has it. */
  readonly of: string;
  /** What the links are called for those who don't see them. */
  readonly label?: string;
  readonly root: string;
  readonly tabs: readonly Tab<Props>[];
  /** What each of them is given. */
  readonly props: Props;
}

/** The parts of a screen: links to them, and the one that the address names, with a title of its own. */
export function Tabs<Props extends object>({ of, label = of, root, tabs, props }: TabsProps<Props>) {
  return (
    <>
      <Links label={label} root={root} tabs={tabs} />
      <Switch>
        {tabs.map(({ path, name, screen: Shown, deep }) => (
          <Route key={path} path={`${root}${path}${deep === true ? '/*?' : ''}`}>
            <Title of={`${name} · ${of}`} />
            <Shown {...props} />
          </Route>
        ))}
        <Route component={NotFound} />
      </Switch>
    </>
  );
}

/** A sibling of the screen, not its parent, so that the screen's own title takes precedence. */
function Title({ of }: { readonly of: string }) {
  useTitle(of);
  return null;
}

interface LinksProps {
  readonly label: string;
  readonly root: string;
  readonly tabs: readonly Pick<Tab, 'path' | 'name'>[];
}

/** Where they are wider than the window, the one that is shown is brought into view. */
function Links({ label, root, tabs }: LinksProps) {
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
