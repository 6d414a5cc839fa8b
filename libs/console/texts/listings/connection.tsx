import type { ReactNode } from 'react';

/** The texts of the connection to Google Merchant Center, of its OAuth client and of the shop's settings. */

export const title = 'Connection';
export const loading = 'the connection';
export const status = 'Status';
export const connected = 'Connected';
export const notConnected = 'Not connected';
export const connectedAs = 'Connected as';
export const noEmail = 'not reported by Google';
export const account = 'Merchant account';
export const accountId = 'Account ID';
export const loadingAccount = '…';
export const connect = 'Connect a merchant account';
export const connectAgain = 'Connect again';
export const connectHelp =
  'Connect the shop to a merchant account that your Google account can manage. You grant access at Google, which then returns you to this screen. Nothing is sent before the first sync.';
export const disconnect = 'Disconnect';
export const disconnectTitle = 'Disconnect the merchant account';
export const disconnectEffect =
  'The tokens are deleted immediately and revoked at Google. No further run starts. Offers in the merchant account stay there until they expire. Settings and sync runs are kept.';
export const disconnected = 'Merchant account disconnected and access revoked.';
export const revocationUnconfirmed =
  'The merchant account is disconnected, but Google has not confirmed that the access is revoked. The server retries for seven days. “Diagnostics” shows whether the revocation is still pending.';

export const client = 'OAuth client';
export const loadingClient = 'the OAuth client';
export const noClient = (
  <>
    <strong>No OAuth client is configured.</strong> Create one in the Google Cloud console, then enter it here.
  </>
);
export const clientEntered = (id: string): ReactNode => (
  <>
    The server requests access as the OAuth client <code>{id}</code>, which was entered here.
  </>
);
export const clientOfEnvironment = (id: string): ReactNode => (
  <>
    The server requests access as the OAuth client <code>{id}</code>, which is set by environment variables of the
    server.
  </>
);
export const clientNeeds =
  'In the Google Cloud console, the OAuth client needs the type “Web application” and this authorized redirect URI:';
export const redirectAddress = 'the redirect URI';
export const enterClient = 'Enter the OAuth client';
export const changeClient = 'Change the OAuth client';
export const deleteClient = 'Delete the OAuth client';
export const deleteVerb = 'Delete';
export const deleteClientEffect =
  'The ID and the secret are deleted. The server then uses the OAuth client that is set by environment variables. Without one, the shop can’t be connected, and its access can’t be renewed.';
export const clientId = 'Client ID';
export const clientIdHelp = 'As shown in the Google Cloud console.';
export const clientSecret = 'Client secret';
export const clientSecretHelp =
  'Stored encrypted and never shown. After a change to another OAuth client, connect the shop again.';
export const saveClient = 'Save OAuth client';
export const clientSaved = 'OAuth client saved. Connect the shop with it.';

export const shopSettings = (
  <>
    Start the server with <code>WOOCOMMERCE_URL</code>, <code>WOOCOMMERCE_KEY</code> and <code>WOOCOMMERCE_SECRET</code>
    , or with <code>PRODUCTS_JSON_URL</code>. If products have no currency, also set <code>STORE_CURRENCY</code>.
  </>
);
