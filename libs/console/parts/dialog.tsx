import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from './button';
import { useIsTopmost } from './modals';
import { Name } from './name';
import { type After, useSend } from './send';
import { SignInAgain } from './sign-in-again';
import { ErrorNote } from './states';

/** What gets the focus: the first field, else the first button below, but no file field. */
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
 * A dialog over the page. Escape, the cross and a press outside close it; `stays`: its own buttons alone;
 * `wide`: for two columns; `keeps`: Escape and a press outside ask first, once something was typed into it.
 */
export function Modal({ title, wide = false, stays = false, keeps = false, open, close, children }: ModalProps) {
  const popup = useRef<HTMLDivElement>(null);
  const isTopmost = useIsTopmost(open);
  const isTyped = useRef(false);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (open) return;
    isTyped.current = false;
    setAsked(false);
  }, [open]);
  return (
    <Dialog.Root
      open={open}
      disablePointerDismissal={stays}
      onOpenChange={(next, { reason }) => {
        if (next || (stays && reason === 'escape-key')) return;
        const isMeant = reason !== 'escape-key' && reason !== 'outside-press';
        if (isMeant || !keeps || !isTyped.current) close();
        // A second Escape is an answer too.
        else setAsked(!(isAsked && reason === 'escape-key'));
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={wide ? 'dialog wide' : 'dialog'}
          onInput={() => {
            isTyped.current = true;
          }}
          // On a phone the keyboard would hide half of it.
          initialFocus={(by) => by === 'touch' || (popup.current?.querySelector<HTMLElement>(FIRST) ?? true)}
        >
          <header>
            <Dialog.Title>
              <Name>{title}</Name>
            </Dialog.Title>
            <Dialog.Close className="button quiet" aria-label="Close">
              ✕
            </Dialog.Close>
          </header>
          {isAsked && <Loss close={close} stay={() => setAsked(false)} />}
          {children}
          {/* Within it: a dialog elsewhere would count as a press outside. */}
          {isTopmost && <SignInAgain />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Asks whether the input may be lost; then the focus returns to where it was. */
function Loss({ close, stay }: { readonly close: () => void; readonly stay: () => void }) {
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
      <p>What you have typed here would be lost.</p>
      <div className="buttons">
        <Button onClick={close}>Close and lose it</Button>
        <Button kind="primary" onClick={stay}>
          Continue editing
        </Button>
      </div>
    </div>
  );
}

interface ConfirmProps extends DialogState, Pick<After<unknown>, 'refresh' | 'said'> {
  readonly title: string;
  /** The label of its button. */
  readonly verb: string;
  readonly typed?: string;
  readonly danger?: boolean;
  readonly confirm: () => Promise<unknown>;
  readonly children?: ReactNode;
}

/**
 * Asks before something that can't be undone. Nothing happens until `confirm` has settled: a refusal
 * is shown here, a success closes, once the queries of `refresh` show it. `typed`: what has to be typed first.
 *
 * The one rule of danger: what can't be undone is red in menus and buttons and asks here; what besides ends the
 * updates of every device is `typed`; what can be undone asks nothing, and its toast offers to undo it (`say`).
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
  said,
  children,
}: ConfirmProps) {
  const [given, setGiven] = useState('');
  const send = useSend(confirm, { refresh, said, awaited: true, networkMode: 'always' });
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
            <span>
              Type <code>{typed}</code> to confirm
            </span>
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
          <Button onClick={done}>Cancel</Button>
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
