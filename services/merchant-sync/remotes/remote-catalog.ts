import type { ListingStatus, Offer, OfferRef, ValidationIssue } from '../products/domain/offer';

/** Injection token of the RemoteCatalog that `REMOTE_CATALOG` names. */
export const REMOTE_CATALOG = Symbol('RemoteCatalog');

/** In whose name a call is made. */
export interface RemoteAccess {
  readonly accountId: string;
  /**
   * A token that is valid now; refreshed by one flight however many ask. `rejected`: the remote refused
   * this one, so another is fetched.
   * @throws RemoteError reauth_required when the grant is gone
   */
  accessToken(rejected?: string): Promise<string>;
  /**
   * The remote refused a token that had just been fetched in place of another: the grant counts as gone.
   * @throws RemoteError reauth_required, always
   */
  refused(): Promise<never>;
}

/**
 * The merchant account's catalogue. All calls share one token bucket, follow `Retry-After`, and retry temporary
 * faults up to `max_retries` times from `REMOTE_RETRY_BASE_MS`, with exponential back-off and jitter; then they
 * throw. Upserts and removals are idempotent.
 */
export interface RemoteCatalog {
  readonly adapter: 'merchant_api_v1' | 'content_api_v21';
  /** Offers a batch may have. */
  readonly maxBatch: number;
  /** Those that the grant reaches. @throws RemoteError */
  accounts(access: Omit<RemoteAccess, 'accountId'>, options: RemoteOptions): Promise<readonly RemoteAccount[]>;
  /**
   * Makes what pushes need and is not there yet: registration, a data source. Idempotent.
   * `email`: the connected account's address. @throws RemoteError
   */
  prepare(
    access: RemoteAccess,
    target: RemoteTarget & { readonly email: string },
    options: RemoteOptions,
  ): Promise<void>;
  /** One outcome per offer, in their order. @throws RemoteError when none of it is known to have been taken */
  upsert(access: RemoteAccess, offers: readonly Offer[], options: RemoteOptions): Promise<readonly Outcome[]>;
  /** What is not there counts as removed. @throws RemoteError */
  remove(access: RemoteAccess, offers: readonly OfferRef[], options: RemoteOptions): Promise<readonly Outcome[]>;
  /** Every offer of the account's catalogue, a page at a time. @throws RemoteError */
  statuses(access: RemoteAccess, options: RemoteOptions): AsyncIterable<readonly RemoteStatus[]>;
}

export type RemoteTarget = Pick<Offer, 'targetCountry' | 'contentLanguage' | 'channel'>;

export interface RemoteOptions {
  readonly signal: AbortSignal;
  readonly maxRetries: number;
}

export interface RemoteAccount {
  readonly id: string;
  readonly name: string;
}

export type Outcome =
  | { readonly offerId: string; readonly acknowledged: true; readonly remoteProductId: string }
  | {
      readonly offerId: string;
      readonly acknowledged: false;
      readonly code: string;
      /** The remote's words, for a person. */
      readonly message: string;
      /** Nothing about the offer itself: a limit, an outage. It is tried again however often that happened. */
      readonly passing: boolean;
    };

export interface RemoteStatus {
  readonly offerId: string;
  readonly remoteProductId: string;
  /** Undefined: the remote says nothing of it; what was known stays. `expiring` is found out from `expiresAt`. */
  readonly listingStatus: Exclude<ListingStatus, 'expiring'> | undefined;
  readonly issues: readonly ValidationIssue[];
  /** ISO 8601. */
  readonly expiresAt: string | null;
}

export type RemoteFault =
  /** The rate stayed too high after all retries. */
  | 'rate_limited'
  /** Ends a run as partial. */
  | 'daily_quota'
  | 'too_many_items'
  | 'unavailable'
  | 'timeout'
  /** The grant is gone (`invalid_grant`, or refused after a refresh): the schedule stops. */
  | 'reauth_required'
  /** The account, or a scope, is not the grant's. */
  | 'forbidden'
  /** The interface has ended: 410. Never repeated. */
  | 'sunset'
  /** The remote refused the request as a whole. */
  | 'refused';

/** A sentence for a person; no token, secret or code in it. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';

  constructor(
    readonly fault: RemoteFault,
    message: string,
    readonly detail: { readonly retryAfterMs?: number; readonly reason?: string } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
