import { Facts } from '../../parts/page';
import { Copyable } from '../../parts/values';
import { usePlane } from './plane';

/** What has to be set on both sides before a store can be connected. */
export function OAuthClientNeeds() {
  const { base } = usePlane();
  return (
    <div className="note info">
      <p>
        <strong>Connecting needs an OAuth client of your own.</strong> Make one on the remote side, in its cloud
        console, of the kind “web application”, and register this address as its redirect address. Then start the server
        with the client’s id and secret.
      </p>
      <Facts
        facts={[
          [
            'Redirect address to register',
            <Copyable key="a" text={`${location.origin}${base}/oauth/callback`} label="the redirect address" />,
          ],
          ['Setting for the client’s id', <code key="i">OAUTH_CLIENT_ID</code>],
          ['Setting for its secret', <code key="s">OAUTH_CLIENT_SECRET</code>],
        ]}
      />
    </div>
  );
}
