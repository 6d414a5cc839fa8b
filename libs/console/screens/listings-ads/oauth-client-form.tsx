import type { OAuthClientState } from '@sluice/contracts';
import { api } from '../../api/client';
import { Confirm, type DialogState, Modal } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { ALL_SHOWN } from './queries';

export function OAuthClientForm({ open, close }: DialogState) {
  return (
    <Modal title="OAuth client" open={open} close={close}>
      <Fields close={close} />
    </Modal>
  );
}

function Fields({ close }: Pick<DialogState, 'close'>) {
  const { form, field } = useForm(
    { client_id: '', client_secret: '' },
    (wish) => api.put<OAuthClientState>('/listings/oauth-client', wish),
    { refresh: ALL_SHOWN, awaited: true, said: 'The OAuth client is saved. Connect the store as it.', done: close },
  );
  return (
    <Form {...form} verb="Save the client" cancel={close}>
      <TextField
        {...field('client_id')}
        label="Client id"
        required
        autoComplete="off"
        help="As the cloud console of the remote side shows it."
      />
      <TextField
        {...field('client_secret')}
        label="Client secret"
        type="password"
        required
        autoComplete="off"
        help="It is kept sealed and never shown. A grant belongs to its client: after a change to another one, connect the store again."
      />
    </Form>
  );
}

export function ForgetOAuthClient({ open, close }: DialogState) {
  return (
    <Confirm
      title="Forget the OAuth client?"
      verb="Forget it"
      open={open}
      close={close}
      confirm={() => api.delete('/listings/oauth-client')}
      refresh={ALL_SHOWN}
    >
      <p>
        Its id and its secret are deleted. The client that the environment of the server names is used again; without
        one, the store can’t be connected, and its access can’t be renewed.
      </p>
    </Confirm>
  );
}
