import type { connectMerchant, ReplyOf } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { Button, LinkButton } from '../../parts/button';
import { useSend } from '../../parts/send';
import { ErrorNote } from '../../parts/states';
import { OAuthClient } from './oauth-client';
import { usePlane } from './plane';

interface ConnectButtonProps {
  readonly again?: boolean;
  /** The OAuth client is already shown next to it. */
  readonly besideClient?: boolean;
}

/** Goes to Google, where a person grants access; the browser comes back to this screen. */
export function ConnectButton({ again = false, besideClient = false }: ConnectButtonProps) {
  const plane = usePlane();
  const connect = useSend(() => plane.post<ReplyOf<typeof connectMerchant>>('/connect'), {
    done: ({ authorization_url: address }) => window.location.assign(address),
  });
  return (
    <div className="stacked">
      <div>
        <Button kind="primary" busy={connect.isPending} onClick={() => connect.mutate()}>
          {again ? 'Connect again' : 'Connect a merchant account'}
        </Button>
      </div>
      {connect.error !== null && <ErrorNote error={connect.error} />}
      {connect.error instanceof ApiError && connect.error.code === 'oauth_client_missing' && !besideClient && (
        <OAuthClient />
      )}
    </div>
  );
}

/** How to continue after an error, or a run, that another attempt does not fix. */
export function nextStep(code: unknown): ReactNode {
  switch (code) {
    case 'not_connected':
      return <ConnectButton />;
    case 'reauth_required':
    case 'account_inaccessible':
      return <ConnectButton again />;
    case 'oauth_client_missing':
      return <OAuthClient />;
    case 'module_disabled':
    case 'entitlement_required':
      return (
        <div>
          <LinkButton to="/listings-ads">To the module’s switch</LinkButton>
        </div>
      );
    case 'store_not_configured':
    case 'source_missing':
      return <StoreNeeds />;
    default:
      return null;
  }
}

/** An error of the module in words, and the button that continues. */
export function Refused({ error, again }: { readonly error: Error; readonly again?: () => void }) {
  return (
    <div className="stacked">
      <ErrorNote error={error} {...(again && { again })} />
      {error instanceof ApiError && nextStep(error.code)}
    </div>
  );
}

export function StoreNeeds() {
  return (
    <p>
      Start the server with <code>WOOCOMMERCE_URL</code>, <code>WOOCOMMERCE_KEY</code> and{' '}
      <code>WOOCOMMERCE_SECRET</code>, or with <code>PRODUCTS_JSON_URL</code>; and with <code>STORE_CURRENCY</code>, for
      products that name no currency.
    </p>
  );
}
