import { Copyable } from '../../parts/values';
import { usePlane } from './plane';

/** What has to be set on both sides before a store can be connected. */
export function OAuthClientNeeds() {
  const { redirectAddress } = usePlane();
  return (
    <div className="note info">
      <p>
        <strong>Connecting needs an OAuth client of your own.</strong> None comes with the module.
      </p>
      <ol className="setup">
        <li>
          On the remote side, in its cloud console, make an OAuth client of the kind “web application” with this
          redirect address: <Copyable text={redirectAddress} label="the redirect address" />
        </li>
        <li>
          Start the server with its id as <code>OAUTH_CLIENT_ID</code> and its secret as{' '}
          <code>OAUTH_CLIENT_SECRET</code>.
        </li>
        <li>
          Where the person who grants access may use several merchant accounts, name yours as{' '}
          <code>MERCHANT_ACCOUNT_ID</code>.
        </li>
      </ol>
    </div>
  );
}
