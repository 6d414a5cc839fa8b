import { useSignIn } from '../api/session';
import { OwnerKeyForm } from '../parts/owner-key-form';
import { PageHead } from '../parts/page';
import * as texts from '../texts/sign-in';

export function SignIn() {
  const signIn = useSignIn();
  return (
    <main className="sign-in">
      <img src="/console/icon.svg" alt="" width="56" height="56" />
      <PageHead title={texts.title} lead={texts.lead} />
      <OwnerKeyForm signIn={signIn} help={texts.keyHelp} />
    </main>
  );
}
