import type { ListingStatus, Offer, OfferRef, ValidationIssue } from '../products/domain/offer';

/** Injection token of the RemoteCatalog that `REMOTE_CATALOG` names. */
export const REMOTE_CATALOG = Symbol('RemoteCatalog');

/** The credentials of a call. */
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
  /** A missing offer counts as removed. @throws RemoteError */
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
      /** The message of the merchant API, for a person. */
      readonly message: string;
      /** Not a fault of the offer itself, but a limit or an outage. It is retried without limit. */
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
  /** The grant is no longer valid (`invalid_grant`, or rejected after a refresh): the schedule stops. */
  | 'reauth_required'
  /** The grant does not include the account or a scope. */
  | 'forbidden'
  /** The interface has ended: 410. Never repeated. */
  | 'sunset'
  /** The merchant API rejected the request as a whole. */
  | 'refused';

/** The message is a sentence for a person, without tokens, secrets or codes. */
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
