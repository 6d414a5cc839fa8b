import { useQueryClient } from '@tanstack/react-query';
import type { disconnectMerchant, ReplyOf } from '@sluice/contracts';
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Facts, Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { say } from '../../parts/toasts';
import { Badge } from '../../parts/values';
import { OAuthClient } from './oauth-client';
import { usePlane } from './plane';
import { type MerchantConnection, ALL_SHOWN, useConnection, useMerchant } from './queries';
import { ConnectButton, Refused } from './refused';

type Disconnected = ReplyOf<typeof disconnectMerchant>;

/** Whether the store is connected and to what; the way in and the way out. */
export function Connection() {
  const connection = useConnection();
  const [left, setLeft] = useState<Disconnected>();
  if (!connection.isSuccess) return <QueryState of={connection} what="the connection" />;
  return connection.data.connected ? (
    <Connected connection={connection.data} leave={setLeft} />
  ) : (
    <NotConnected left={left} />
  );
}

function NotConnected({ left }: { readonly left: Disconnected | undefined }) {
  return (
    <Section title="Connection">
      <Facts facts={{ State: <Badge tone="warn">not connected</Badge> }} />
      {left?.revocation === 'unconfirmed' && (
        <div className="note warn" role="status">
          <p>
            The shop is disconnected. Google has not confirmed yet that it revoked the access. The server retries for
            seven days, and the diagnostics show whether the access stays open.
          </p>
        </div>
      )}
      <p>
        Connect the shop to a merchant account that you may use. The browser goes to Google, where you grant access, and
        comes back here. Nothing is sent before the first sync.
      </p>
      <OAuthClient />
      <ConnectButton besideClient />
    </Section>
  );
}

function Connected({
  connection: { email },
  leave,
}: {
  readonly connection: MerchantConnection;
  readonly leave: (how: Disconnected) => void;
}) {
  const { show, dialog } = useDialog();
  const merchant = useMerchant();
  const client = useQueryClient();
  const plane = usePlane();
  const disconnect = async (): Promise<void> => {
    const how = await plane.post<Disconnected>('/disconnect');
    leave(how);
    await Promise.all(ALL_SHOWN.map((queryKey) => client.invalidateQueries({ queryKey })));
    if (how.revocation === 'confirmed') say('The store is disconnected, and its access is revoked.');
  };
  return (
    <Section title="Connection" actions={<Button onClick={() => show(true)}>Disconnect</Button>}>
      <Facts
        facts={{
          State: <Badge tone="good">connected</Badge>,
          As: email ?? <span className="dim">not reported by Google</span>,
          'Merchant account': merchant.data === undefined ? '…' : merchant.data.name,
          'Its id': merchant.data === undefined ? '…' : <code>{merchant.data.account_id}</code>,
        }}
      />
      {merchant.isError && <Refused error={merchant.error} again={() => void merchant.refetch()} />}
      <Confirm title="Disconnect the store?" verb="Disconnect" {...dialog} confirm={disconnect}>
        <p>
          The tokens are deleted immediately and revoked at Google. No sync runs any more. Offers that the merchant
          account has stay there until they expire; settings and logs are kept.
        </p>
      </Confirm>
    </Section>
  );
}
