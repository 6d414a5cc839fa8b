import type { OAuthClientState } from '@sluice/contracts';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { Button } from '../../parts/button';
import { Confirm, Modal } from '../../parts/dialog';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { Copyable } from '../../parts/values';
import { OAuthClientForm } from './oauth-client-form';
import { usePlane } from './plane';
import { ALL_SHOWN, REMOTE } from './queries';

/** As which OAuth client the store asks for access, and what has to be done until there is one. */
export function OAuthClient() {
  const client = useGet<OAuthClientState>('/listings/oauth-client', [REMOTE, null]);
  const { redirectAddress } = usePlane();
  const entry = useDialog();
  const removal = useDialog();
  if (!client.isSuccess) return <QueryState of={client} what="the OAuth client" />;
  return (
    <div className="note info">
      <Told client={client.data} />
      <p>
        In the Google Cloud console, the client has the type “web application” and this redirect address:{' '}
        <Copyable text={redirectAddress} label="the redirect address" />
      </p>
      <div className="buttons">
        <Button onClick={() => entry.show(true)}>
          {client.data.client_id === null ? 'Enter the OAuth client' : 'Change the OAuth client'}
        </Button>
        {client.data.source === 'saved' && <Button onClick={() => removal.show(true)}>Forget it</Button>}
      </div>
      <Modal title="OAuth client" {...entry.dialog}>
        <OAuthClientForm close={entry.close} />
      </Modal>
      <Confirm
        title="Forget the OAuth client?"
        verb="Forget it"
        {...removal.dialog}
        confirm={() => api.delete('/listings/oauth-client')}
        refresh={ALL_SHOWN}
      >
        <p>
          Its id and its secret are deleted. The client that the environment of the server names is used again; without
          one, the store can’t be connected, and its access can’t be renewed.
        </p>
      </Confirm>
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
