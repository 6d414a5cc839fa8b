import { useSignIn } from '../api/session';
import { OwnerKeyForm } from '../parts/owner-key-form';
import { PageHead } from '../parts/page';

export function SignIn() {
  const signIn = useSignIn();
  return (
    <main className="sign-in">
      <img src="/console/icon.svg" alt="" width="56" height="56" />
      <PageHead title="Sign in to Sluice" lead="With the owner key of this installation." />
      <OwnerKeyForm
        signIn={signIn}
        help={
          <>
            It begins with <code>svc_own_</code>. The first start of the server wrote it to <code>owner.key</code> in
            its data folder; where <code>OWNER_KEY</code> is set, it is that.
          </>
        }
      />
    </main>
  );
}
