import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { App, ConfiguredSigningKey } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, SelectField, TextField } from '../../../parts/form';
import { say } from '../../../parts/toasts';

type Scheme = ConfiguredSigningKey['scheme'];

const SCHEME_CHOICES: readonly (readonly [Scheme, string])[] = [
  ['pkcs1v15', 'PKCS#1 v1.5 (what openssl dgst -sign makes)'],
  ['pss', 'PSS (for clients that check RSA-PSS)'],
];

/** Makes the first signing key; where there is one, puts another in its place. */
export function SigningKeyDialog({
  app,
  present,
  open,
  close,
}: {
  readonly app: App;
  readonly present: ConfiguredSigningKey | undefined;
  readonly open: boolean;
  readonly close: () => void;
}) {
  return (
    <Modal title={present === undefined ? 'New signing key' : 'Rotate the signing key'} open={open} close={close}>
      <Wish app={app} present={present} close={close} />
    </Modal>
  );
}

function Wish({
  app,
  present,
  close,
}: {
  readonly app: App;
  readonly present: ConfiguredSigningKey | undefined;
  readonly close: () => void;
}) {
  const [name, setName] = useState(present?.name ?? 'default');
  const [scheme, setScheme] = useState<Scheme>(present?.scheme ?? 'pkcs1v15');
  const client = useQueryClient();
  const isFirst = present === undefined;
  const make = useMutation({
    mutationFn: () => api.post(`/apps/${app.id}/signing-key${isFirst ? '' : '/rotate'}`, { name, scheme }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['signing-key', app.id] });
      void client.invalidateQueries({ queryKey: ['history', app.id] });
      say(isFirst ? 'Builds are signed from now on.' : 'Builds are signed with the new key from now on.');
      close();
    },
  });
  return (
    <Form
      submit={() => make.mutate()}
      busy={make.isPending}
      error={make.error}
      verb={isFirst ? 'Make the key' : 'Rotate'}
      cancel={close}
    >
      {!isFirst && (
        <div className="note warn">
          <p>
            Builds uploaded from now on are signed with the new key. A device that knows the old public key alone
            refuses them, until a native release brings it the new one.
          </p>
          <p>Builds that are signed already keep their signatures, and the old public key stays listed below.</p>
        </div>
      )}
      <TextField name="name" label="Name" required value={name} change={setName} />
      <SelectField
        name="scheme"
        label="Scheme"
        help="What the client in your app checks. Both are RSA with SHA-256."
        value={scheme}
        change={setScheme}
        options={SCHEME_CHOICES}
      />
    </Form>
  );
}
