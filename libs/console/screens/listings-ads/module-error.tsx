import type { connectMerchant, ReplyOf } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { Button, LinkButton } from '../../parts/button';
import { useSend } from '../../parts/send';
import { ErrorNote } from '../../parts/states';
import * as texts from '../../texts/listings/connection';
import { toModule } from '../../texts/listings/module';
import { OAuthClient } from './oauth-client';
import { usePlane } from './plane';

interface ConnectButtonProps {
  readonly reconnect?: boolean;
  /** The OAuth client is already shown next to the button. */
  readonly clientIsShown?: boolean;
}

/** Opens the consent page of Google, which then returns to this screen. */
export function ConnectButton({ reconnect = false, clientIsShown = false }: ConnectButtonProps) {
  const plane = usePlane();
  const connect = useSend(() => plane.post<ReplyOf<typeof connectMerchant>>('/connect'), {
    done: ({ authorization_url: address }) => window.location.assign(address),
  });
  return (
    <div className="stacked">
      <div>
        <Button kind="primary" busy={connect.isPending} onClick={() => connect.mutate()}>
          {reconnect ? texts.connectAgain : texts.connect}
        </Button>
      </div>
      {connect.error !== null && <ErrorNote error={connect.error} />}
      {connect.error instanceof ApiError && connect.error.code === 'oauth_client_missing' && !clientIsShown && (
        <OAuthClient />
      )}
    </div>
  );
}

/** The next step after an error or a failed run that a retry does not fix. */
export function nextStep(code: unknown): ReactNode {
  switch (code) {
    case 'not_connected':
      return <ConnectButton />;
    case 'reauth_required':
    case 'account_inaccessible':
      return <ConnectButton reconnect />;
    case 'oauth_client_missing':
      return <OAuthClient />;
    case 'module_disabled':
    case 'entitlement_required':
      return (
        <div>
          <LinkButton to="/listings-ads">{toModule}</LinkButton>
        </div>
      );
    case 'store_not_configured':
    case 'source_missing':
      return <ShopSettings />;
    default:
      return null;
  }
}

/** An error of the module, with the next step. */
export function ModuleError({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  return (
    <div className="stacked">
      <ErrorNote error={error} {...(retry && { retry })} />
      {error instanceof ApiError && nextStep(error.code)}
    </div>
  );
}

export function ShopSettings() {
  return <p>{texts.shopSettings}</p>;
}
