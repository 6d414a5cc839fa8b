import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { showSecret, useShownSecret } from '../api/shown-secret';
import * as texts from '../texts/parts';
import { Button } from './button';
import { Modal } from './dialog';
import { Copyable, SecretOnce } from './values';

const close = (): void => showSecret(undefined);

/** A secret in a dialog that only its button closes. The page then forgets the secret. */
export function SecretDialog() {
  const shown = useShownSecret();
  const [location] = useLocation();
  // The secret disappears when the screen changes.
  useEffect(() => close, [location]);
  // Shown until the dialog has closed, when the secret is no longer stored.
  const [title, setTitle] = useState('');
  if (shown !== undefined && shown.title !== title) setTitle(shown.title);
  return (
    <Modal title={title} stays open={shown !== undefined} close={close}>
      {shown !== undefined && (
        <>
          {shown.recoverable === true ? (
            <Copyable text={shown.secret} label={shown.label} />
          ) : (
            <SecretOnce secret={shown.secret} label={shown.label} />
          )}
          {shown.note}
          <footer className="buttons">
            <Button kind="primary" onClick={close}>
              {shown.recoverable === true ? texts.close : texts.haveCopied}
            </Button>
          </footer>
        </>
      )}
    </Modal>
  );
}
