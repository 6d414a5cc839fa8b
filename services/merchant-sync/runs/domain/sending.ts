import type { ListingStatus } from '../../products/domain/offer';
import type { RunOrder } from './runs';
import type { SyncSettings } from './sync-settings';

const DAY_MS = 86_400_000;
const EXPIRING_MS = 3 * DAY_MS;

/** The past of an offer, as its mapping records it. */
export interface OfferPast {
  readonly live: boolean;
  readonly sync_hash: string | null;
  readonly tried_hash: string;
  readonly last_synced_at: string | null;
  readonly expires_at: string | null;
  readonly listing_status: ListingStatus;
  readonly item_failures: number;
  /** What became of the last try, unless it was acknowledged. */
  readonly last_error: string | null;
  readonly missing: boolean;
}

export type SendReason = 'asked' | 'new' | 'failed' | 'changed' | 'missing' | 'expiring' | 'aged';

/**
 * Why a run sends an offer; undefined: the listed offer stays as it is. An offer that the merchant API rejected
 * more than `max_retries` times in a row is not sent again until it changes, or a full run or a repair starts.
 */
export function reasonToSend(
  { runType, trigger }: Pick<RunOrder, 'runType' | 'trigger'>,
  past: OfferPast | undefined,
  hash: string,
  settings: Pick<SyncSettings, 'max_retries' | 'refresh_after_days'>,
  now: Date,
): SendReason | undefined {
  if (past?.live !== true) return 'new';
  if (runType !== 'incremental') return 'asked';
  if (past.last_error !== null && past.tried_hash === hash) {
    return past.item_failures > settings.max_retries && trigger !== 'repair' ? undefined : 'failed';
  }
  // A try with an unknown outcome may have left different content there than the last acknowledged one.
  if (past.sync_hash !== hash || past.tried_hash !== hash) return 'changed';
  if (past.missing) return 'missing';
  if (past.listing_status === 'expiring' || isExpiring(past.listing_status, past.expires_at, now)) return 'expiring';
  const age = past.last_synced_at === null ? Infinity : now.getTime() - Date.parse(past.last_synced_at);
  return age >= settings.refresh_after_days * DAY_MS ? 'aged' : undefined;
}

/** `expiring` means approved with less than three days left. */
export function statusOf(
  reported: Exclude<ListingStatus, 'expiring'>,
  expiresAt: string | null,
  now: Date,
): ListingStatus {
  return isExpiring(reported, expiresAt, now) ? 'expiring' : reported;
}

function isExpiring(status: ListingStatus, expiresAt: string | null, now: Date): boolean {
  return status === 'approved' && expiresAt !== null && Date.parse(expiresAt) - now.getTime() < EXPIRING_MS;
}
