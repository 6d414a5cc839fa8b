import type { Diagnostic, DiagnosticCheck } from '@sluice/contracts';

/** The texts of the diagnostics of the listings module, and of their repair. */

export const title = 'Diagnostics';
export const loading = 'the checks, with requests to Google';
export const checkAgain = 'Check again';
export const summary = (problems: number, total: number, notRunCount: number): string =>
  [
    problems === 0 ? 'No problems found.' : `${problems} of ${total} checks found a problem.`,
    ...(notRunCount > 0 ? [`${notRunCount} could not run.`] : []),
  ].join(' ');
export const affected = (count: number): string => `Affected: ${count.toLocaleString()}.`;
export const results: Readonly<Record<Diagnostic['status'], string>> = {
  ok: 'OK',
  warning: 'Warning',
  error: 'Error',
};
export const notRun = 'Not run';

export const checks: Readonly<Record<DiagnosticCheck, string>> = {
  oauth_client_missing: 'OAuth client',
  not_connected: 'Connection',
  scope_missing: 'Granted access',
  token_undecryptable: 'Stored tokens',
  refresh_failed: 'Token refresh',
  account_inaccessible: 'Merchant account',
  store_missing: 'Shop',
  stale_run: 'Stalled runs',
  orphan_mappings: 'Offers without a product',
  missing_remote_offers: 'Offers missing at Google',
  duplicate_offers: 'Repeated offer IDs',
  expiring_offers: 'Offers about to expire',
  retry_exhausted: 'Offers at the retry limit',
  category_unknown: 'Category mappings',
  remote_sunset: 'Merchant API version',
  unconfirmed_revocations: 'Pending revocations',
};

export const repair = 'Repair';
export const repairAll = 'Repair…';
export const repairOf = (names: string): string => `Repair: ${names}`;
export const loadingPlan = 'the repair plan';
export const noRepairs = 'There is nothing that a repair can fix. Each check shows what to do.';
export const plan = 'Nothing has changed yet. “Repair now” starts a sync that fixes these problems:';
export const repairNow = 'Repair now';
export const nothingToRepair = 'There was nothing to repair.';
export const repairStarted = 'The repair continues as a sync run.';
export const showRun = 'Show run';
export const plannedCount = (count: number): string => `(${count.toLocaleString()})`;
