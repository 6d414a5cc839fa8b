import { Suspense, useEffect, useRef, type ComponentType, type RefObject } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { loadingScreen } from '../texts/frame';
import { Loading, NotFound } from './states';
import { useTitle } from './title';

export interface Tab<Props extends object = object> {
  /** Below the root; empty for the first. */
  readonly path: string;
  readonly name: string;
  readonly screen: ComponentType<Props>;
  /** Also shown at addresses below its own. */
  readonly deep?: boolean;
}

/** Scrolls a row of links so that the current one is in the middle, and marks the ends behind which there are more. */
export function useCurrentInView(row: RefObject<HTMLElement | null>): void {
  const [location] = useLocation();
  useEffect(() => {
    const links = row.current;
    if (links === null) return;
    const mark = (): void => markEnds(links);
    const sizes = new ResizeObserver(mark);
    sizes.observe(links);
    links.addEventListener('scroll', mark, { passive: true });
    return () => {
      sizes.disconnect();
      links.removeEventListener('scroll', mark);
    };
  }, [row]);
  // Its links may be others after any render.
  useEffect(() => {
    if (row.current !== null) markEnds(row.current);
  });
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row.current || !here) return;
    row.current.scrollLeft =
      here.offsetLeft - row.current.offsetLeft - (row.current.clientWidth - here.offsetWidth) / 2;
  }, [row, location]);
}

function markEnds(row: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = row;
  row.toggleAttribute('data-more-before', scrollLeft > 1);
  row.toggleAttribute('data-more-after', scrollWidth - clientWidth - scrollLeft > 1);
}

interface TabsProps<Props extends object> {
  /** The screen that they are parts of, for the title. */
  readonly of: string;
  /** Names the links for screen readers. */
  readonly label?: string;
  readonly root: string;
  readonly tabs: readonly Tab<Props>[];
  /** Given to each tab. */
  readonly props: Props;
}

/** The parts of a screen: links to them, and the one at the present address, with its own title. */
export function Tabs<Props extends object>({ of, label = of, root, tabs, props }: TabsProps<Props>) {
  return (
    <>
      <Links label={label} root={root} tabs={tabs} />
      <Switch>
        {tabs.map(({ path, name, screen: Shown, deep }) => (
          <Route key={path} path={`${root}${path}${deep === true ? '/*?' : ''}`}>
            <Title of={`${name} · ${of}`} />
            <Suspense fallback={<Loading what={loadingScreen} />}>
              <Shown {...props} />
            </Suspense>
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

function Links({ label, root, tabs }: LinksProps) {
  const [location] = useLocation();
  const nav = useRef<HTMLElement>(null);
  useCurrentInView(nav);
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ path, name }) => {
        const here = path === '' ? location === root : location.startsWith(root + path);
        return (
          <Link key={path} to={root + path} data-name={name} aria-current={here ? 'page' : undefined}>
            {name}
          </Link>
        );
      })}
    </nav>
  );
}
