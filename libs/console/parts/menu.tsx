import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { opensMenu, pressInMenu } from './menu-keys';

export interface MenuEntry {
  readonly name: string;
  readonly act: () => void;
  readonly danger?: boolean;
  /** Its effect, in one line. */
  readonly help?: string;
  /** Why it can't be used now. */
  readonly disabledReason?: string | undefined;
  /** Set: one of the entries of its group is chosen. The menu stays open for another choice. */
  readonly checked?: boolean;
}

interface MenuProps {
  readonly className: string;
  /** The name of the button for screen readers, if its content is none. */
  readonly label?: string;
  /** A line separates each group from the one before. */
  readonly groups: readonly (readonly MenuEntry[])[];
  /** The content of the button. */
  readonly children: ReactNode;
}

const ITEMS = '[role^="menuitem"]';
/** Between the button, the menu and the edges of the window, in pixels. */
const GAP = 4;

/** A button that opens a menu. */
export function Menu({ className, label, groups, children }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [openedBy, setOpenedBy] = useState<'key' | 'pointer'>();
  const close = (): void => {
    setOpenedBy(undefined);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={openedBy !== undefined}
        // The click of a key has no count.
        onClick={({ detail }) => setOpenedBy(detail === 0 ? 'key' : 'pointer')}
        onKeyDown={(event) => {
          if (!opensMenu(event)) return;
          event.preventDefault();
          setOpenedBy('key');
        }}
      >
        {children}
      </button>
      {openedBy !== undefined &&
        button.current !== null &&
        createPortal(
          <Popup button={button.current} groups={groups} close={close} startsAtFirst={openedBy === 'key'} />,
          document.body,
        )}
    </>
  );
}

interface PopupProps extends Pick<MenuProps, 'groups'> {
  readonly button: HTMLButtonElement;
  readonly close: () => void;
  readonly startsAtFirst: boolean;
}

/** Keys, see pressInMenu, and a press elsewhere close it. */
function Popup({ button, groups, close, startsAtFirst }: PopupProps) {
  const menu = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [...(menu.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];

  // After every render, because the button may have moved.
  useLayoutEffect(() => {
    if (menu.current !== null) place(menu.current, button);
  });
  useLayoutEffect(() => {
    (startsAtFirst ? items()[0] : menu.current)?.focus({ preventScroll: true });
  }, [startsAtFirst]);
  useEffect(() => {
    const follow = ({ target }: Event): void => {
      if (menu.current !== null && target !== menu.current) place(menu.current, button);
    };
    addEventListener('scroll', follow, true);
    addEventListener('resize', follow);
    return () => {
      removeEventListener('scroll', follow, true);
      removeEventListener('resize', follow);
    };
  }, [button]);

  return (
    <>
      <div className="menu-backdrop" onClick={close} />
      <div
        ref={menu}
        role="menu"
        aria-label={button.ariaLabel ?? button.innerText}
        className="menu"
        tabIndex={-1}
        onKeyDown={(event) => pressInMenu(event, items(), close)}
      >
        {groups.map((entries, at) => (
          <div key={at} role="group">
            {entries.map((entry) => (
              <Item key={entry.name} entry={entry} close={close} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function Item({ entry, close }: { readonly entry: MenuEntry; readonly close: () => void }) {
  const { name, act, danger, help, disabledReason, checked } = entry;
  return (
    <div
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      aria-disabled={disabledReason !== undefined}
      tabIndex={-1}
      {...(danger === true && { className: 'danger' })}
      onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (disabledReason !== undefined) return;
        // First, so that a dialog returns the focus to the button.
        if (checked === undefined) close();
        act();
      }}
    >
      <span>
        {name}
        {(disabledReason ?? help) !== undefined && <small>{disabledReason ?? help}</small>}
      </span>
      {checked === true && <span className="tick">✓</span>}
    </div>
  );
}

/** Below the button, or above it where there is more room, and within the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, right } = button.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const height = menu.scrollHeight + menu.offsetHeight - menu.clientHeight;
  const [above, below] = [top - 2 * GAP, clientHeight - bottom - 2 * GAP];
  const isBelow = height <= below || below >= above;
  const room = Math.max(0, isBelow ? below : above);
  menu.style.maxHeight = `${room}px`;
  menu.style.top = `${isBelow ? bottom + GAP : top - GAP - Math.min(height, room)}px`;
  const left = Math.min(right, clientWidth - GAP) - menu.offsetWidth;
  menu.style.left = `${Math.max(GAP, left)}px`;
}

/** Drawn, because fonts place and size `⋯` differently. */
function Dots() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
      <circle cx="4" cy="10" r="1.7" />
      <circle cx="10" cy="10" r="1.7" />
      <circle cx="16" cy="10" r="1.7" />
    </svg>
  );
}

interface ActionsProps {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
}

/** A button that opens a menu of actions. `label` names their object for screen readers. */
export function Actions({ label, entries }: ActionsProps) {
  if (entries.length === 0) return null;
  return (
    <Menu className="button quiet icon" label={label} groups={[entries]}>
      <Dots />
    </Menu>
  );
}
