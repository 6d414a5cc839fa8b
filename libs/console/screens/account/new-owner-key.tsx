import { holdNewOwnerKey, useNewOwnerKey } from '../../api/new-owner-key';
import { SecretDialog } from '../../parts/secret-dialog';

/** The new key of whoever was signed in: their session is over, and this is shown above the sign-in. */
export default function NewOwnerKey() {
  const key = useNewOwnerKey();
  return (
    <SecretDialog
      shown={
        key === undefined
          ? undefined
          : {
              title: 'Your new owner key',
              label: 'the owner key',
              secret: key,
              note: (
                <p className="dim">
                  Sign in with it. Where the server is given <code>OWNER_KEY</code>, set that to the new key before its
                  next start; else the operator’s key stands in <code>owner.key</code> of its data folder too.
                </p>
              ),
            }
      }
      close={() => holdNewOwnerKey(undefined)}
    />
  );
}
