import { useEffect, useState } from 'react';
import { shared } from '../api/shared';
import * as texts from '../texts/parts';
import { Button } from './button';
import { Name } from './name';

interface Said {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
  /** It stays until it is dismissed. */
  readonly isFault?: true;
}

/** Long enough to read. Paused while a toast has the pointer or the focus. */
const SHOWN_MS = 6_000;
/** Long enough to notice a mistake. */
const UNDO_MS = 15_000;
/** More would cover the content. The oldest is removed. */
const MAX_TOASTS = 2;

const said = shared<readonly Said[]>([]);
let lastId = 0;

function add(toast: Omit<Said, 'id'>): void {
  said.set([...said.get(), { ...toast, id: (lastId += 1) }].slice(-MAX_TOASTS));
}

const dismiss = (id: number): void => said.set(said.get().filter((each) => each.id !== id));

/**
 * Confirms an action. `undo` reverts it, and rejects when that fails. An error is shown next to its cause instead.
 */
export function say(text: string, undo?: () => Promise<unknown>): void {
  add({ text, ...(undo && { undo }) });
}

/** Shows an error whose cause is no longer on the screen. */
export function sayFault(text: string): void {
  add({ text, isFault: true });
}

/** The latest toasts. */
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
  const revert = (): void => {
    setUndoing(true);
    undo?.().then(
      () => {
        close();
        say(texts.undone);
      },
      (fault: unknown) => {
        close();
        sayFault(texts.undoFailed((fault as Error).message));
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
          <Button busy={isUndoing} onClick={revert}>
            {texts.undo}
          </Button>
        )}
        <Button kind="quiet" aria-label={texts.dismiss} onClick={close}>
          ✕
        </Button>
      </span>
    </div>
  );
}
