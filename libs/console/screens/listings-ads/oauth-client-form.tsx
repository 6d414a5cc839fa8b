import type { OAuthClientState } from '@sluice/contracts';
import { api } from '../../api/client';
import { Form, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import * as texts from '../../texts/listings/connection';
import { ALL_SHOWN } from './queries';

export function OAuthClientForm({ close }: { readonly close: () => void }) {
  const { form, field } = useForm(
    { client_id: '', client_secret: '' },
    (client) => api.put<OAuthClientState>('/listings/oauth-client', client),
    { refresh: ALL_SHOWN, awaited: true, toast: texts.clientSaved, done: close },
  );
  return (
    <Form {...form} verb={texts.saveClient} cancel={close}>
      <TextField {...field('client_id')} label={texts.clientId} required autoComplete="off" help={texts.clientIdHelp} />
      <TextField
        {...field('client_secret')}
        label={texts.clientSecret}
        type="password"
        required
        autoComplete="off"
        help={texts.clientSecretHelp}
      />
    </Form>
  );
}
