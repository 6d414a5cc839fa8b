import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from './button';
import { Name } from './name';

interface Said {
  readonly id: number;
  readonly text: string;
}

/** Long enough to be read; not while somebody points at it or has the focus in it. */
const SHOWN_MS = 6_000;
/** More at once would cover what a person works on: the oldest goes. */
const MOST = 2;

let said: readonly Said[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function become(next: readonly Said[]): void {
  said = next;
  for (const watcher of watchers) watcher();
}

/** Says that something was done. What was refused is said beside its cause instead. */
export function say(text: string): void {
  become([...said, { id: (lastId += 1), text }].slice(-MOST));
}

/** What was said of late. */
export function Toasts() {
  const toasts = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => said,
  );
  return (
    <div className="toasts" role="status">
      {toasts.map((toast) => (
        <Toast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Toast({ toast: { id, text } }: { readonly toast: Said }) {
  const [isHeld, setHeld] = useState(false);
  const close = (): void => become(said.filter((each) => each.id !== id));
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => become(said.filter((each) => each.id !== id)), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <div
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Name>{text}</Name>
      <Button kind="quiet" aria-label="Dismiss" onClick={close}>
        ✕
      </Button>
    </div>
  );
}
