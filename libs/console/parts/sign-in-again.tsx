import { Dialog } from '@base-ui/react/dialog';
import { useSessionEnded } from '../api/ended-session';
import { useSession, useSignInAgain } from '../api/session';
import * as texts from '../texts/sign-in';
import { Button } from './button';
import { OwnerKeyForm } from './owner-key-form';

/** Shown over any screen when the session has ended. Input is kept, and waiting requests are sent after the sign-in. */
export function SignInAgain() {
  const isEnded = useSessionEnded();
  const session = useSession();
  return (
    // Only its own buttons close it.
    <Dialog.Root open={isEnded} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" forceRender />
        <Dialog.Popup className="dialog">
          <header>
            <Dialog.Title>{texts.ended}</Dialog.Title>
          </header>
          <p>{texts.signInAgain(session.data?.owner.name)}</p>
          <KeyForm />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function KeyForm() {
  const { signIn, leave } = useSignInAgain();
  return (
    <OwnerKeyForm signIn={signIn}>
      <div>
        <Button onClick={leave}>{texts.discard}</Button>
      </div>
    </OwnerKeyForm>
  );
}
