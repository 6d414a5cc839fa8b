import { Dialog } from '@base-ui/react/dialog';
import { useSessionEnded } from '../api/ended-session';
import { useSession, useSignInAgain } from '../api/session';
import { Button } from './button';
import { OwnerKeyForm } from './owner-key-form';

/** Over whatever the person is about, once their session has ended: what they typed stays, and is sent afterwards. */
export function SignInAgain() {
  const isEnded = useSessionEnded();
  const session = useSession();
  return (
    // Only its own buttons end it.
    <Dialog.Root open={isEnded} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" forceRender />
        <Dialog.Popup className="dialog">
          <header>
            <Dialog.Title>Your session ended</Dialog.Title>
          </header>
          <p>
            Sign in again{session.data ? ` as ${session.data.owner.name}` : ''} to continue. What you have typed is
            still here, and what you were about to send is sent then.
          </p>
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
        <Button onClick={leave}>Leave, and lose it</Button>
      </div>
    </OwnerKeyForm>
  );
}
