import type { ValidationIssue } from '../products/domain/offer';
import type { RemoteStatus } from './remote-catalog';

/** What a remote reports for one of the places where offers show. */
export interface ContextStatus {
  /** By the name that the Merchant API gives it. */
  readonly context: string;
  readonly approved: number;
  readonly pending: number;
  readonly disapproved: number;
}

/**
 * The listing's status in the context that counts: SHOPPING_ADS, else FREE_LISTINGS, else the first
 * (spec 7, Status). Undefined when the remote tells nothing of it.
 */
export function listingStatusOf(contexts: readonly ContextStatus[]): RemoteStatus['listingStatus'] {
  const named = (name: string) => contexts.find(({ context }) => context === name);
  const counting = named('SHOPPING_ADS') ?? named('FREE_LISTINGS') ?? contexts[0];
  if (counting === undefined) return undefined;
  if (counting.disapproved > 0) return 'disapproved';
  if (counting.pending > 0) return 'pending';
  return counting.approved > 0 ? 'approved' : undefined;
}

const SEVERITIES: Readonly<Record<string, ValidationIssue['severity']>> = {
  NOT_IMPACTED: 'not_impacted',
  UNAFFECTED: 'not_impacted',
  DEMOTED: 'demoted',
  DISAPPROVED: 'disapproved',
};

/** By the name that either interface gives it, in whatever case. */
export function severityOf(name: string | undefined): ValidationIssue['severity'] {
  return SEVERITIES[(name ?? '').toUpperCase()] ?? 'not_impacted';
}
