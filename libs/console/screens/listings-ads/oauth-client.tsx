import type { OAuthClientState } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { Button } from '../../parts/button';
import { Confirm, Modal } from '../../parts/dialog';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { Copyable } from '../../parts/values';
import * as texts from '../../texts/listings/connection';
import { OAuthClientForm } from './oauth-client-form';
import { usePlane } from './plane';
import { ALL_SHOWN, REMOTE } from './queries';

/** The OAuth client with which the server requests access, and how to set it. */
export function OAuthClient() {
  const client = useGet<OAuthClientState>('/listings/oauth-client', [REMOTE, null]);
  const { redirectAddress } = usePlane();
  const entry = useDialog();
  const removal = useDialog();
  if (!client.isSuccess) return <QueryState of={client} what={texts.loadingClient} />;
  return (
    <div className="note info">
      <p>{currentClient(client.data)}</p>
      <p>
        {texts.clientNeeds} <Copyable text={redirectAddress} label={texts.redirectAddress} />
      </p>
      <div className="buttons">
        <Button onClick={() => entry.show(true)}>
          {client.data.client_id === null ? texts.enterClient : texts.changeClient}
        </Button>
        {client.data.source === 'saved' && <Button onClick={() => removal.show(true)}>{texts.deleteClient}</Button>}
      </div>
      <Modal title={texts.client} {...entry.dialog}>
        <OAuthClientForm close={entry.close} />
      </Modal>
      <Confirm
        title={texts.deleteClient}
        verb={texts.deleteVerb}
        {...removal.dialog}
        confirm={() => api.delete('/listings/oauth-client')}
        refresh={ALL_SHOWN}
      >
        <p>{texts.deleteClientEffect}</p>
      </Confirm>
    </div>
  );
}

function currentClient({ client_id: id, source }: OAuthClientState): ReactNode {
  if (id === null) return texts.noClient;
  return source === 'saved' ? texts.clientEntered(id) : texts.clientOfEnvironment(id);
}
