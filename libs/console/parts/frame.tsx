import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useLiveState } from '../api/live';
import { useIsOperator, useSession, useSignOut } from '../api/session';
import * as texts from '../texts/frame';
import * as paletteTexts from '../texts/palette';
import { keepFocus } from './focus';
import { show, useKeys } from './keys';
import { Menu } from './menu';
import { Name } from './name';
import { PLACES } from './places';
import { useCurrentInView } from './tabs';
import { applyTheme, useTheme, type Theme } from './theme';
import { UpgradeBanner } from './upgrade-banner';

/** The frame of every screen: the navigation, the owner who is signed in, and whether changes are shown live. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const shown = useRef(location);
  const isOperator = useIsOperator();
  const places = PLACES.filter(({ operator }) => isOperator || operator !== true);
  useKeys();
  useCurrentInView(nav);
  useEffect(keepFocus, []);
  useEffect(() => {
    // The browser would open a file that is dropped elsewhere, and leave the page.
    const rejectFiles = (event: DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer?.types.some((type) => /^Files$/.test(type)) !== true) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    addEventListener('dragover', rejectFiles);
    addEventListener('drop', rejectFiles);
    return () => {
      removeEventListener('dragover', rejectFiles);
      removeEventListener('drop', rejectFiles);
    };
  }, []);
  useEffect(() => {
    // A screen reader continues at the beginning of the new screen.
    if (shown.current !== location) main.current?.focus();
    shown.current = location;
  }, [location]);
  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          // The fragment of the address may name something.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {texts.skip}
      </a>
      <header className="bar">
        <Link to="/apps" className="brand">
          <img src="/console/icon.svg" alt="" width="28" height="28" /> {texts.product}
        </Link>
        <nav aria-label={texts.navigation} ref={nav}>
          {places.map(({ to, name }) => (
            <Link key={to} to={to} data-name={name} aria-current={location.startsWith(to) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <Find />
        <Live />
        <Person />
      </header>
      <UpgradeBanner />
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Opens the command palette, which is also the way to another app. */
function Find() {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return (
    <button type="button" className="button find" aria-haspopup="dialog" onClick={() => show('palette')}>
      {paletteTexts.open} <kbd className="by-mouse">{paletteTexts.openKeys(isMac)}</kbd>
    </button>
  );
}

function Live() {
  const state = useLiveState();
  const words = { connecting: texts.connecting, live: texts.live, reconnecting: texts.reconnecting }[state];
  return (
    <span className={`live ${state}`} role="status">
      <span aria-hidden="true" className="dot" />
      <span>{words}</span>
    </span>
  );
}

export const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', texts.systemTheme],
  ['light', texts.lightTheme],
  ['dark', texts.darkTheme],
];

function Person() {
  const session = useSession();
  const signOut = useSignOut();
  const [, go] = useLocation();
  const theme = useTheme();
  return (
    <Menu
      className="button person"
      groups={[
        [{ name: texts.account, act: () => go('/account') }],
        THEMES.map(([value, name]) => ({ name, act: () => applyTheme(value), checked: value === theme })),
        [{ name: texts.signOut, act: () => signOut.mutate() }],
      ]}
    >
      <Name>{session.data?.owner.name ?? texts.owner}</Name>
    </Menu>
  );
}
