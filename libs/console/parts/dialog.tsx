import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import * as texts from '../texts/parts';
import { Button } from './button';
import { useIsTopmost } from './modals';
import { Name } from './name';
import { type After, useSend } from './send';
import { SignInAgain } from './sign-in-again';
import { ErrorNote } from './states';

/** Gets the focus: the first field except file fields, else the first button of the footer. */
const FIRST = 'input:not([hidden], [type="file"]), select, textarea, footer button';

/** Whether a dialog is open, as `useDialog` holds it. */
export interface DialogState {
  readonly open: boolean;
  readonly close: () => void;
}

interface ModalProps extends DialogState {
  readonly title: string;
  readonly wide?: boolean;
  readonly stays?: boolean;
  readonly keeps?: boolean;
  readonly children: ReactNode;
}

/**
 * A dialog over the page. Escape, the cross and a press outside close it. `stays`: only its own buttons do.
 * `wide`: for two columns. `keeps`: after input, Escape and a press outside ask first whether to discard it.
 */
export function Modal({ title, wide = false, stays = false, keeps = false, open, close, children }: ModalProps) {
  const popup = useRef<HTMLDivElement>(null);
  const isTopmost = useIsTopmost(open);
  const hasInput = useRef(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (open) return;
    hasInput.current = false;
    setAsking(false);
  }, [open]);
  return (
    <Dialog.Root
      open={open}
      disablePointerDismissal={stays}
      onOpenChange={(next, { reason }) => {
        if (next || (stays && reason === 'escape-key')) return;
        const isDeliberate = reason !== 'escape-key' && reason !== 'outside-press';
        if (isDeliberate || !keeps || !hasInput.current) close();
        // A second Escape returns to the input.
        else setAsking(!(isAsking && reason === 'escape-key'));
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={wide ? 'dialog wide' : 'dialog'}
          onInput={() => {
            hasInput.current = true;
          }}
          // On a phone the keyboard would hide half of it.
          initialFocus={(by) => by === 'touch' || (popup.current?.querySelector<HTMLElement>(FIRST) ?? true)}
        >
          <header>
            <Dialog.Title>
              <Name>{title}</Name>
            </Dialog.Title>
            <Dialog.Close className="button quiet" aria-label={texts.close}>
              ✕
            </Dialog.Close>
          </header>
          {isAsking && <Discard close={close} stay={() => setAsking(false)} />}
          {children}
          {/* Within it: a dialog elsewhere would count as a press outside. */}
          {isTopmost && <SignInAgain />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Asks whether to discard the input. Afterwards the focus returns to where it was. */
function Discard({ close, stay }: { readonly close: () => void; readonly stay: () => void }) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    note.current?.querySelector<HTMLElement>('.primary')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div className="note warn" role="alert" ref={note}>
      <p>{texts.discardQuestion}</p>
      <div className="buttons">
        <Button onClick={close}>{texts.discard}</Button>
        <Button kind="primary" onClick={stay}>
          {texts.keepEditing}
        </Button>
      </div>
    </div>
  );
}

export interface ConfirmProps extends DialogState, Pick<After<unknown>, 'refresh' | 'toast'> {
  readonly title: string;
  /** The label of its button. */
  readonly verb: string;
  readonly typed?: string;
  readonly danger?: boolean;
  readonly confirm: () => Promise<unknown>;
  readonly children?: ReactNode;
}

/**
 * Asks before an action that can't be undone. The dialog stays open until `confirm` has settled. It shows an error, and
 * closes after a success when the queries of `refresh` are loaded. `typed`: the text to type first.
 *
 * The rule of danger: an action that can't be undone is red in menus and buttons, and asks here. If it also ends the
 * updates of every device, it needs `typed`. An action that can be undone asks nothing, and its toast offers Undo (`showToast`).
 */
export function Confirm({
  title,
  verb,
  typed,
  danger = true,
  open,
  close,
  confirm,
  refresh = [],
  toast,
  children,
}: ConfirmProps) {
  const [given, setGiven] = useState('');
  const send = useSend(confirm, { refresh, toast, awaited: true, networkMode: 'always' });
  const done = (): void => {
    setGiven('');
    if (!send.isPending) send.reset();
    close();
  };
  return (
    <Modal title={title} open={open} close={done}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate(undefined, { onSuccess: done });
        }}
      >
        {children}
        {typed !== undefined && (
          <label className="field">
            <span>{texts.typeToConfirm(typed)}</span>
            <input
              value={given}
              onChange={({ target }) => setGiven(target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          </label>
        )}
        {send.error !== null && <ErrorNote error={send.error} />}
        <footer className="buttons">
          <Button onClick={done}>{texts.cancel}</Button>
          <Button
            type="submit"
            kind={danger ? 'danger' : 'primary'}
            busy={send.isPending}
            disabled={typed !== undefined && given !== typed}
          >
            {verb}
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
