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
import * as texts from '../../texts/listings/webhook';
import { copyNow } from '../../texts/parts';
import { DeadLetters } from './dead-letters';
import { LISTINGS } from './queries';
import { WebhookForm } from './webhook-form';

/** The webhook and its dead letters. */
export function Webhook() {
  const [secret, setSecret] = useState<string>();
  const { show, dialog } = useDialog();
  const webhook = useGet<WebhookState>('/listings/webhook', [LISTINGS, null], {
    // Deliveries are no events, so they are polled.
    refetchInterval: 10_000,
  });
  if (!webhook.isSuccess) return <QueryState of={webhook} what={texts.loading} />;
  const { url, waiting, dead } = webhook.data;
  return (
    <>
      <Section
        title={texts.title}
        actions={url !== null && <Button onClick={() => show(true)}>{texts.deleteWebhook}</Button>}
      >
        <p>{texts.lead}</p>
        {url !== null && (
          <Facts
            facts={{
              [texts.address]: url,
              [texts.waiting]: waiting.toLocaleString(),
              [texts.deadLetters]: dead.toLocaleString(),
            }}
          />
        )}
        {secret !== undefined && (
          <div className="note warn" role="status">
            <p>{copyNow(texts.webhookSecret)}</p>
            <Copyable text={secret} label={texts.webhookSecret} />
          </div>
        )}
        <WebhookForm key={url} url={url} saved={setSecret} />
      </Section>
      {(url !== null || dead > 0) && <DeadLetters />}
      <Confirm
        title={texts.deleteWebhook}
        verb={texts.deleteVerb}
        {...dialog}
        confirm={() => api.delete('/listings/webhook').then(() => setSecret(undefined))}
        refresh={[[LISTINGS]]}
      >
        <p>{texts.deleteEffect}</p>
      </Confirm>
    </>
  );
}
