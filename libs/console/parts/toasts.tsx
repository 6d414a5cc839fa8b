import { useEffect, useState } from 'react';
import { shared } from '../api/shared';
import { Button } from './button';
import { Name } from './name';

interface Said {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
  /** It stays until it is dismissed. */
  readonly isFault?: true;
}

/** Long enough to be read; not while somebody points at it or has the focus in it. */
const SHOWN_MS = 6_000;
/** Long enough to see what one did, and to think better of it. */
const UNDO_MS = 15_000;
/** More would cover the content: the oldest is removed. */
const MOST = 2;

const said = shared<readonly Said[]>([]);
let lastId = 0;

function add(toast: Omit<Said, 'id'>): void {
  said.set([...said.get(), { ...toast, id: (lastId += 1) }].slice(-MOST));
}

const dismiss = (id: number): void => said.set(said.get().filter((each) => each.id !== id));

/**
 * Says that something was done; `undo` takes it back, and rejects when that fails. An error is shown next to its
 * cause instead.
 */
export function say(text: string, undo?: () => Promise<unknown>): void {
  add({ text, ...(undo && { undo }) });
}

/** Says what was refused, where nothing that caused it is on the screen any more. */
export function sayFault(text: string): void {
  add({ text, isFault: true });
}

/** What was said of late. */
export function Toasts() {
  return (
    <div className="toasts" role="status">
      {said.use().map((toast) => (
        <Toast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Toast({ toast: { id, text, undo, isFault } }: { readonly toast: Said }) {
  const [isHeld, setHeld] = useState(false);
  const [isUndoing, setUndoing] = useState(false);
  const stays = isHeld || isUndoing || isFault === true;
  const shownMs = undo === undefined ? SHOWN_MS : UNDO_MS;
  const close = (): void => dismiss(id);
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, stays, shownMs]);
  const takeBack = (): void => {
    setUndoing(true);
    undo?.().then(
      () => {
        close();
        say('Undone.');
      },
      (fault: unknown) => {
        close();
        sayFault(`It could not be undone. ${(fault as Error).message}`);
      },
    );
  };
  return (
    <div
      className={isFault === true ? 'toast bad' : 'toast'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {isFault === true ? <span>{text}</span> : <Name>{text}</Name>}
      <span className="buttons">
        {undo !== undefined && (
          <Button busy={isUndoing} onClick={takeBack}>
            Undo
          </Button>
        )}
        <Button kind="quiet" aria-label="Dismiss" onClick={close}>
          ✕
        </Button>
      </span>
    </div>
  );
}
