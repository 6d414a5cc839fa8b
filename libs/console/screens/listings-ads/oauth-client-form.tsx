import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OAuthClientState } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../api/client';
import { Confirm, Modal } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { say } from '../../parts/toasts';
import { refresh } from './queries';

interface Dialog {
  readonly open: boolean;
  readonly close: () => void;
}

export function OAuthClientForm({ open, close }: Dialog) {
  return (
    <Modal title="OAuth client" open={open} close={close}>
      <Fields close={close} />
    </Modal>
  );
}

function Fields({ close }: Pick<Dialog, 'close'>) {
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => api.put<OAuthClientState>('/listings/oauth-client', { client_id: id, client_secret: secret }),
    onSuccess: () => {
      say('The OAuth client is saved. Connect the store as it.');
      close();
      return refresh(client);
    },
  });
  return (
    <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save the client" cancel={close}>
      <TextField
        name="client_id"
        label="Client id"
        required
        autoComplete="off"
        help="As the cloud console of the remote side shows it."
        value={id}
        change={setId}
      />
      <TextField
        name="client_secret"
        label="Client secret"
        type="password"
        required
        autoComplete="off"
        help="It is kept sealed and never shown. A grant belongs to its client: after a change to another one, connect the store again."
        value={secret}
        change={setSecret}
      />
    </Form>
  );
}

export function ForgetOAuthClient({ open, close }: Dialog) {
  const client = useQueryClient();
  const forget = useMutation({
    mutationFn: () => api.delete('/listings/oauth-client'),
    onSuccess: () => refresh(client),
  });
  return (
    <Confirm
      title="Forget the OAuth client?"
      verb="Forget it"
      open={open}
      close={close}
      confirm={() => forget.mutateAsync()}
    >
      <p>
        Its id and its secret are deleted. The client that the environment of the server names is used again; without
        one, the store can’t be connected, and its access can’t be renewed.
      </p>
    </Confirm>
  );
}
