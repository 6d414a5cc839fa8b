/** How syncs run. Members carry the names that the API gives them. */
export interface SyncSettings {
  readonly sync_interval_minutes: number;
  /** Products a request. */
  readonly batch_size: number;
  /** Requests at a time. */
  readonly concurrency: number;
  readonly max_retries: number;
  /** An offer of this age is sent again although it did not change. */
  readonly refresh_after_days: number;
  readonly log_retention_days: number;
  /** Whether offers of products that left the shop are deleted remotely. */
  readonly delete_missing: boolean;
  /** Of the mapped offers, 0 to 1: a run that would delete more stops. */
  readonly max_delete_ratio: number;
}

export const DEFAULT_SYNC_SETTINGS: SyncSettings = {
  sync_interval_minutes: 720,
  batch_size: 50,
  concurrency: 4,
  max_retries: 5,
  refresh_after_days: 25,
  log_retention_days: 30,
  delete_missing: true,
  max_delete_ratio: 0.5,
};
