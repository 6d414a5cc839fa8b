import { useState, type ReactNode } from 'react';
import { Button } from './button';
import { Modal } from './dialog';
import { Copyable, SecretOnce } from './values';

export interface ShownSecret {
  readonly title: string;
  /** What it is, as in “Copy the token”. */
  readonly label: string;
  readonly secret: string;
  /** It can be looked at again later. */
  readonly again?: boolean;
  readonly note?: ReactNode;
}

interface SecretDialogProps {
  readonly shown: ShownSecret | undefined;
  readonly close: () => void;
}

/** A secret in a dialog that only its button closes. The page drops the secret afterwards. */
export function SecretDialog({ shown, close }: SecretDialogProps) {
  // Kept while the dialog closes, when the secret is gone already.
  const [title, setTitle] = useState('');
  if (shown !== undefined && shown.title !== title) setTitle(shown.title);
  return (
    <Modal title={title} stays open={shown !== undefined} close={close}>
      {shown !== undefined && (
        <>
          {shown.again === true ? (
            <Copyable text={shown.secret} label={shown.label} />
          ) : (
            <SecretOnce secret={shown.secret} label={shown.label} />
          )}
          {shown.note}
          <footer className="buttons">
            <Button kind="primary" onClick={close}>
              {shown.again === true ? 'Close' : 'I have copied it'}
            </Button>
          </footer>
        </>
      )}
    </Modal>
  );
}
