import type { OAuthClientState } from '@sluice/contracts';
import { api } from '../../api/client';
import { Form, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { ALL_SHOWN } from './queries';

export function OAuthClientForm({ close }: { readonly close: () => void }) {
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
        help="As the Google Cloud console shows it."
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
