import type { OAuthClientState } from '@sluice/contracts';
import { useGet } from '../../api/queries';
import { Button } from '../../parts/button';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { Copyable } from '../../parts/values';
import { OAuthClientForm, ForgetOAuthClient } from './oauth-client-form';
import { usePlane } from './plane';
import { REMOTE } from './queries';

/** As which OAuth client the store asks for access, and what has to be done until there is one. */
export function OAuthClient() {
  const client = useGet<OAuthClientState>('/listings/oauth-client', [REMOTE, null]);
  if (!client.isSuccess) return <QueryState of={client} what="the OAuth client" />;
  return <Needs client={client.data} />;
}

function Needs({ client }: { readonly client: OAuthClientState }) {
  const { redirectAddress } = usePlane();
  const entry = useDialog();
  const removal = useDialog();
  return (
    <div className="note info">
      <Told client={client} />
      <p>
        On the remote side, in its cloud console, the client is one of the kind “web application” with this redirect
        address: <Copyable text={redirectAddress} label="the redirect address" />
      </p>
      <div className="buttons">
        <Button onClick={() => entry.show(true)}>
          {client.client_id === null ? 'Enter the OAuth client' : 'Change the OAuth client'}
        </Button>
        {client.source === 'saved' && <Button onClick={() => removal.show(true)}>Forget it</Button>}
      </div>
      <OAuthClientForm {...entry.dialog} />
      <ForgetOAuthClient {...removal.dialog} />
    </div>
  );
}

function Told({ client }: { readonly client: OAuthClientState }) {
  if (client.client_id === null) {
    return (
      <p>
        <strong>Connecting needs an OAuth client of your own.</strong> None comes with the module, and none is set yet.
      </p>
    );
  }
  return (
    <p>
      Access is asked for as the OAuth client <code>{client.client_id}</code>,{' '}
      {client.source === 'saved' ? 'which was entered here' : 'which the environment of the server names'}.
    </p>
  );
}
