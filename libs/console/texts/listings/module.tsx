/** The texts of the listings module as a whole: its tabs, its switch, its limits and a failed connection. */

export const title = 'Listings and ads';
export const lead = 'Sends the products of your shop to Google Merchant Center.';
export const overview = 'Overview';
export const sync = 'Sync';
export const offers = 'Offers';
export const feed = 'Feed';
export const diagnostics = 'Diagnostics';
export const settings = 'Settings';
export const webhook = 'Webhook';
export const loading = 'the module';
export const operatorOnly = 'Operator only';
export const operatorOnlyHelp =
  'An installation has one shop, so only the operator, the first owner, can use this module.';

export const moduleTitle = 'Module';
export const off = 'The module is off';
export const about =
  'The module connects your shop to Google Merchant Center and sends your products there. While it is off, its data is kept and nothing is sent.';
export const notEntitled =
  'This installation does not have the entitlement listings_ads, which allows it to use the module. As the operator, you can grant it.';
export const turnOn = 'Turn on the module';
export const grant = 'Grant the entitlement';
export const grantAndTurnOn = 'Grant the entitlement and turn on the module';
export const turnedOn = 'The module is on.';
export const status = 'Status';
export const on = 'On';
export const entitlement = 'Entitlement listings_ads';
export const granted = 'Granted';
export const turnOff = 'Turn off';
export const turnOffTitle = 'Turn off the module';
export const removeEntitlement = 'Remove entitlement';
export const removeEntitlementTitle = 'Remove the entitlement';
export const entitlementEffect =
  'The entitlement allows this installation to use the module. Without it, the module is off until you grant the entitlement again.';
export const offEffect =
  'The current run is cancelled, and no further run starts. The connection, the settings and the state of each offer are kept. Offers in the merchant account stay there until they expire.';

export const limitsTitle = 'Good to know';
/** Shown until the shop is connected. */
export const needs =
  'You need a Google Merchant Center account and your own OAuth client. The module does nothing until both are set up.';
export const limits = [
  'Products that you edit in the shop are sent with the next scheduled sync. Start a sync to send them sooner.',
  'The server reads the status of offers at Google only during a sync.',
  <>
    The module does not detect other software that sends products to the same merchant account.{' '}
    <strong>Use only one such tool for each merchant account.</strong>
  </>,
  'The module only sends your products. It never changes prices, carts or pages in your shop.',
  'The module has no quota of its own. Google’s quotas apply.',
] as const;

export const notConnected = 'The shop was not connected.';
/** By the error code that Google or the server returns from the consent page. */
export const callbackErrors: Readonly<Record<string, string>> = {
  invalid_state: 'This connection link is invalid, already used, or older than ten minutes. Connect again.',
  access_denied:
    'Google did not grant access, or granted it only temporarily. Connect again and grant all requested permissions. If that does not help, first remove Sluice from the connected apps of the Google account.',
  oauth_client_missing:
    'No OAuth client is configured, or Google does not accept it. Check its ID and secret, then connect again.',
  remote_unavailable: 'Google could not grant access now. Wait a moment, then connect again.',
  module_disabled: 'The module has been turned off. Turn it on, then connect again.',
  entitlement_required: 'The entitlement of the module has been removed. Grant it, then connect again.',
  rate_limited: 'Too many connection attempts. Wait a minute, then connect again.',
  service_unavailable: 'A service of this installation does not respond. Wait a moment, then connect again.',
};
export const otherCallbackError = (code: string): string => `The error code is ${code}.`;
export const toModule = 'Go to the module’s status';
