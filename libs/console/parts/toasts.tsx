import { useEffect, useState } from 'react';
import { shared } from '../api/shared';
import * as texts from '../texts/parts';
import { Button } from './button';
import { Name } from './name';

interface ToastEntry {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => Promise<unknown>;
  /** It stays until it is dismissed. */
  readonly isError?: true;
}

/** Long enough to read. Paused while a toast has the pointer or the focus. */
const SHOWN_MS = 6_000;
/** Long enough to notice a mistake. */
const UNDO_MS = 15_000;
/** More would cover the content. The oldest is removed. */
const MAX_TOASTS = 2;

const toasts = shared<readonly ToastEntry[]>([]);
let lastId = 0;

function add(toast: Omit<ToastEntry, 'id'>): void {
  toasts.set([...toasts.get(), { ...toast, id: (lastId += 1) }].slice(-MAX_TOASTS));
}

const dismiss = (id: number): void => toasts.set(toasts.get().filter((each) => each.id !== id));

/**
 * Confirms an action. `undo` reverts it, and rejects when that fails. An error is shown next to its cause instead.
 */
export function showToast(text: string, undo?: () => Promise<unknown>): void {
  add({ text, ...(undo && { undo }) });
}

/** Shows an error whose cause is no longer on the screen. */
export function showErrorToast(text: string): void {
  add({ text, isError: true });
}

/** The latest toasts. */
export function Toasts() {
  return (
    <div className="toasts" role="status">
      {toasts.use().map((toast) => (
        <Toast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Toast({ toast: { id, text, undo, isError } }: { readonly toast: ToastEntry }) {
  const [isHeld, setHeld] = useState(false);
  const [isUndoing, setUndoing] = useState(false);
  const stays = isHeld || isUndoing || isError === true;
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
        showToast(texts.undone);
      },
      (error: unknown) => {
        close();
        showErrorToast(texts.undoFailed((error as Error).message));
      },
    );
  };
  return (
    <div
      className={isError === true ? 'toast bad' : 'toast'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {isError === true ? <span>{text}</span> : <Name>{text}</Name>}
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
