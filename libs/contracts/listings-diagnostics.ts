import { z } from 'zod';
import { defineCall } from './call';

/** The checks of the listings module. */
export const DIAGNOSTIC_CHECKS = [
  'oauth_client_missing',
  'not_connected',
  'scope_missing',
  'token_undecryptable',
  'refresh_failed',
  'account_inaccessible',
  'store_missing',
  'stale_run',
  'orphan_mappings',
  'missing_remote_offers',
  'duplicate_offers',
  'expiring_offers',
  'retry_exhausted',
  'category_unknown',
  'remote_sunset',
  'unconfirmed_revocations',
] as const;
export type DiagnosticCheck = (typeof DIAGNOSTIC_CHECKS)[number];

export const diagnosticSchema = z.object({
  id: z.enum(DIAGNOSTIC_CHECKS),
  area: z.enum(['connection', 'tokens', 'sync', 'mappings']),
  status: z.enum(['ok', 'warning', 'error']),
  /** Whether the check could run. If not, the status is ok and the message has the reason. */
  tried: z.boolean(),
  /** What was found, and what to do. */
  message: z.string(),
  /** Of what was found wrong. */
  count: z.int().min(0),
  repairable: z.boolean(),
});
export type Diagnostic = z.infer<typeof diagnosticSchema>;

export const repairSchema = z.object({
  dry_run: z.boolean(),
  /** Of the run that does it, or of the repair itself; null when there was nothing to do, or with dry_run. */
  log_id: z.string().nullable(),
  repairs: z.array(
    z.object({
      id: z.enum(DIAGNOSTIC_CHECKS),
      /** What is repaired, in a sentence. */
      message: z.string(),
      count: z.int().min(0),
    }),
  ),
});
export type Repair = z.infer<typeof repairSchema>;

/** Every check, found wrong or not. Rejected with module_disabled or entitlement_required. */
export const getListingsDiagnostics = defineCall(
  'merchantSync.getDiagnostics',
  z.object({}),
  z.object({ checks: z.array(diagnosticSchema) }),
);

const CHECK_RULE = `A check is one of ${DIAGNOSTIC_CHECKS.join(', ')}.`;

/**
 * Repairs what can be repaired of these checks, of all when none are named; idempotent. With dry_run it
 * returns what it would do. Rejected as getListingsDiagnostics, and with sync_already_running,
 * not_connected or reauth_required if a run is needed.
 */
export const repairListings = defineCall(
  'merchantSync.repair',
  z.object({
    checks: z
      .array(z.enum(DIAGNOSTIC_CHECKS, CHECK_RULE), 'The checks must be a list.')
      .max(DIAGNOSTIC_CHECKS.length, `The checks must have at most ${DIAGNOSTIC_CHECKS.length} entries.`)
      .optional(),
    dry_run: z.boolean('The dry_run must be true or false.').default(false),
  }),
  repairSchema,
  ['not_connected', 'reauth_required', 'sync_already_running'],
);
