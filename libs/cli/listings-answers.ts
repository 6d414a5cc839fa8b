/** What the listings plane answers (spec 5, answers' `data`), as far as the commands read it. */

export interface ConnectAnswer {
  readonly authorization_url: string;
}

export interface DisconnectAnswer {
  readonly revocation: 'confirmed' | 'unconfirmed';
}

export interface MerchantConnection {
  readonly connected: boolean;
  /** Null: not connected, or the remote side did not tell. */
  readonly email: string | null;
}

export interface MerchantAccount {
  readonly account_id: string;
  readonly name: string;
}

/** Items bear the feed's names. */
export interface FeedPreview {
  readonly items: readonly {
    readonly id: string;
    readonly product_id: string;
    readonly title: string;
    readonly price: string;
    readonly availability: string;
  }[];
  readonly excluded: readonly {
    readonly product_id: string;
    readonly variation_id: string | null;
    readonly reasons: readonly string[];
  }[];
  /** Where the next part begins; null: there is none. */
  readonly next_offset: number | null;
}

export interface StartedSync {
  readonly log_id: string;
}

export interface SyncLog {
  readonly id: string;
  readonly run_type: string;
  readonly trigger: string;
  readonly status: 'running' | 'completed' | 'partial' | 'failed' | 'cancelled';
  readonly items_processed: number;
  readonly items_failed: number;
  readonly items_skipped: number;
  readonly items_deleted: number;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly error_message: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface SyncStatus {
  readonly running: boolean;
  readonly progress: {
    readonly log_id: string;
    readonly run_type: string;
    readonly items_read: number;
    /** How many offers there were when it began. */
    readonly items_expected: number;
    readonly items_processed: number;
    readonly items_failed: number;
  } | null;
}

export interface ListingsOverview {
  readonly listings: Readonly<Record<'total' | 'pending' | 'approved' | 'disapproved' | 'expiring', number>>;
  readonly sync: { readonly running: boolean; readonly last_run: SyncLog | null };
}

export interface Mapping {
  readonly id: string;
  readonly offer_id: string;
  readonly product_id: string;
  readonly listing_status: string;
  readonly validation_issues: readonly { readonly code: string }[];
  readonly last_synced_at: string | null;
  readonly expires_at: string | null;
  readonly last_error: string | null;
}

export interface Diagnostic {
  readonly id: string;
  readonly area: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
  readonly count: number;
  readonly repairable: boolean;
}

export interface Repair {
  readonly dry_run: boolean;
  /** Of the run that does it, or of the repair itself. */
  readonly log_id: string | null;
  readonly repairs: readonly { readonly id: string; readonly message: string; readonly count: number }[];
}
