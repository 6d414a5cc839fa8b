import { useQueryClient } from '@tanstack/react-query';
import type { disconnectMerchant, ReplyOf } from '@sluice/contracts';
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Facts, Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { showToast } from '../../parts/toasts';
import { Badge } from '../../parts/values';
import * as texts from '../../texts/listings/connection';
import { ConnectButton, ModuleError } from './module-error';
import { OAuthClient } from './oauth-client';
import { usePlane } from './plane';
import { type MerchantConnection, ALL_SHOWN, useConnection, useMerchant } from './queries';

type Disconnected = ReplyOf<typeof disconnectMerchant>;

/** The connection of the shop to a merchant account. */
export function Connection() {
  const connection = useConnection();
  const [disconnected, setDisconnected] = useState<Disconnected>();
  if (!connection.isSuccess) return <QueryState of={connection} what={texts.loading} />;
  return connection.data.connected ? (
    <Connected connection={connection.data} disconnected={setDisconnected} />
  ) : (
    <NotConnected disconnected={disconnected} />
  );
}

function NotConnected({ disconnected }: { readonly disconnected: Disconnected | undefined }) {
  return (
    <Section title={texts.title}>
      <Facts facts={{ [texts.status]: <Badge tone="warn">{texts.notConnected}</Badge> }} />
      {disconnected?.revocation === 'unconfirmed' && (
        <div className="note warn" role="status">
          <p>{texts.revocationUnconfirmed}</p>
        </div>
      )}
      <p>{texts.connectHelp}</p>
      <OAuthClient />
      <ConnectButton clientIsShown />
    </Section>
  );
}

function Connected({
  connection: { email },
  disconnected,
}: {
  readonly connection: MerchantConnection;
  readonly disconnected: (result: Disconnected) => void;
}) {
  const { show, dialog } = useDialog();
  const merchant = useMerchant();
  const client = useQueryClient();
  const plane = usePlane();
  const disconnect = async (): Promise<void> => {
    const result = await plane.post<Disconnected>('/disconnect');
    disconnected(result);
    await Promise.all(ALL_SHOWN.map((queryKey) => client.invalidateQueries({ queryKey })));
    if (result.revocation === 'confirmed') showToast(texts.disconnected);
  };
  return (
    <Section title={texts.title} actions={<Button onClick={() => show(true)}>{texts.disconnect}</Button>}>
      <Facts
        facts={{
          [texts.status]: <Badge tone="good">{texts.connected}</Badge>,
          [texts.connectedAs]: email ?? <span className="dim">{texts.noEmail}</span>,
          [texts.account]: merchant.data?.name ?? texts.loadingAccount,
          [texts.accountId]:
            merchant.data === undefined ? texts.loadingAccount : <code>{merchant.data.account_id}</code>,
        }}
      />
      {merchant.isError && <ModuleError error={merchant.error} retry={() => void merchant.refetch()} />}
      <Confirm title={texts.disconnectTitle} verb={texts.disconnect} {...dialog} confirm={disconnect}>
        <p>{texts.disconnectEffect}</p>
      </Confirm>
    </Section>
  );
}
