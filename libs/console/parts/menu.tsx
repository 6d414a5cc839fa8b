import { Menu } from '@base-ui/react/menu';

export interface MenuEntry {
  readonly name: string;
  readonly act: () => void;
  readonly danger?: boolean;
  /** Its effect, in one line. */
  readonly help?: string;
  /** Why it can't be used now. */
  readonly disabledReason?: string | undefined;
}

interface ActionsProps {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
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

/** A button that opens a menu of actions. `label` names their object for screen readers. */
export function Actions({ label, entries }: ActionsProps) {
  if (entries.length === 0) return null;
  return (
    <Menu.Root>
      <Menu.Trigger className="button quiet icon" aria-label={label}>
        <Dots />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="floating" align="end" sideOffset={4}>
          <Menu.Popup className="menu">
            {entries.map(({ name, act, danger, help, disabledReason }) => (
              <Menu.Item
                key={name}
                onClick={act}
                disabled={disabledReason !== undefined}
                {...(danger === true && { className: 'danger' })}
              >
                <span>
                  {name}
                  {(disabledReason ?? help) !== undefined && <small>{disabledReason ?? help}</small>}
                </span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
