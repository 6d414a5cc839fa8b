import { useState } from 'react';
import { useSignIn } from '../api/session';
import { Form } from '../parts/form';
import { OwnerKeyField } from '../parts/owner-key-field';
import { PageHead } from '../parts/page';

export function SignIn() {
  const [key, setKey] = useState('');
  const signIn = useSignIn();
  return (
    <main className="sign-in">
      <img src="/console/icon.svg" alt="" width="56" height="56" />
      <PageHead title="Sign in to Sluice" lead="With the owner key of this installation." />
      <Form submit={() => signIn.mutate(key.trim())} busy={signIn.isPending} error={signIn.error} verb="Sign in">
        <OwnerKeyField
          value={key}
          change={setKey}
          help={
            <>
              It begins with <code>svc_own_</code>. The first start of the server wrote it to <code>owner.key</code> in
              its data folder; where <code>OWNER_KEY</code> is set, it is that.
            </>
          }
        />
      </Form>
    </main>
  );
}
