import type { WebhookState } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Facts, Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { Copyable } from '../../parts/values';
import { DeadLetters } from './dead-letters';
import { LISTINGS } from './queries';
import { WebhookForm } from './webhook-form';

/** Where hooks are sent, and what could not be delivered. */
export function Webhook() {
  const [secret, setSecret] = useState<string>();
  const { show, dialog } = useDialog();
  const webhook = useGet<WebhookState>('/listings/webhook', [LISTINGS, null], {
    // What waits and what was given up is no event.
    refetchInterval: 10_000,
  });
  if (!webhook.isSuccess) return <QueryState of={webhook} what="the webhook" />;
  const { url, waiting, dead } = webhook.data;
  return (
    <>
      <Section title="Webhook" actions={url !== null && <Button onClick={() => show(true)}>Forget the webhook</Button>}>
        <p>
          Sends a signed request to your program when settings change, a product’s mapping changes, a sync begins or
          ends, or the module is turned on or off. A request may be sent twice, with the same id.
        </p>
        {url !== null && (
          <Facts
            facts={{
              Address: url,
              'Waiting for a try': waiting.toLocaleString(),
              'Given up': dead.toLocaleString(),
            }}
          />
        )}
        {secret !== undefined && (
          <div className="note warn" role="status">
            <p>
              <strong>Copy the webhook’s secret now.</strong> It can’t be shown again.
            </p>
            <Copyable text={secret} label="the webhook’s secret" />
          </div>
        )}
        <WebhookForm key={url} url={url} saved={setSecret} />
      </Section>
      {(url !== null || dead > 0) && <DeadLetters />}
      <Confirm
        title="Forget the webhook?"
        verb="Forget it"
        {...dialog}
        confirm={() => api.delete('/listings/webhook').then(() => setSecret(undefined))}
        refresh={[[LISTINGS]]}
      >
        <p>Address and secret are deleted, and with them every delivery: what waits and what was given up.</p>
      </Confirm>
    </>
  );
}
