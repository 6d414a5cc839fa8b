import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { showSecret, useShownSecret } from '../api/shown-secret';
import { Button } from './button';
import { Modal } from './dialog';
import { Copyable, SecretOnce } from './values';

const close = (): void => showSecret(undefined);

/** A secret in a dialog that only its button closes. The page drops the secret afterwards. */
export function SecretDialog() {
  const shown = useShownSecret();
  const [location] = useLocation();
  // The secret disappears when the screen changes.
  useEffect(() => close, [location]);
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
