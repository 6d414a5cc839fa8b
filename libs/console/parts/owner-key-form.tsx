import { useState, type ReactNode } from 'react';
import type { useSignIn } from '../api/session';
import * as texts from '../texts/sign-in';
import { Form, TextField } from './form';

interface OwnerKeyFormProps {
  readonly signIn: Pick<ReturnType<typeof useSignIn>, 'mutate' | 'isPending' | 'error'>;
  readonly help?: ReactNode;
  readonly children?: ReactNode;
}

/** Signs in with an owner key; `children` follow the field. */
export function OwnerKeyForm({ signIn, help, children }: OwnerKeyFormProps) {
  const [key, setKey] = useState('');
  return (
    <Form submit={() => signIn.mutate(key.trim())} busy={signIn.isPending} error={signIn.error} verb={texts.signIn}>
      {/* Password managers store the key under a user name. */}
      <input type="text" autoComplete="username" value="owner" readOnly hidden />
      <TextField
        name="owner_key"
        label={texts.ownerKey}
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={key}
        change={setKey}
        help={help}
      />
      {children}
    </Form>
  );
}
