import type { DiagnosticCheck } from '@sluice/contracts';

/** What each check looks at. */
export const CHECK_NAMES: Readonly<Record<DiagnosticCheck, string>> = {
  oauth_client_missing: 'OAuth client',
  not_connected: 'Connection',
  scope_missing: 'Granted access',
  token_undecryptable: 'Stored tokens',
  refresh_failed: 'Renewal of the access',
  account_inaccessible: 'Merchant account',
  store_missing: 'Store',
  stale_run: 'Stopped runs',
  orphan_mappings: 'Offers without a product',
  missing_remote_offers: 'Offers that Google no longer has',
  duplicate_offers: 'Repeated offer ids',
  expiring_offers: 'Offers about to expire',
  retry_exhausted: 'Offers that were given up',
  category_unknown: 'Mapped categories',
  remote_sunset: 'Remote interface',
  unconfirmed_revocations: 'Access that was given up',
};
