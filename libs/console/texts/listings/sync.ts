import type { SyncLog } from '@sluice/contracts';

/** The texts of syncs: their start, progress, runs and logs. */

export const loading = 'the state of the sync';
export const syncNow = 'Sync now';
export const notConnected = 'The shop is not connected to a merchant account.';
export const start = 'Start sync';
export const whatToSend = 'What to send';
export const whatToSendHelp =
  'Also deletes offers of products that are no longer in the shop, if the settings allow it and you do not send one product.';
export const sendChanges = 'Changes (everything the first time)';
export const sendEverything = 'Everything, changed or not';
export const sendOne = 'One product';
export const productId = 'Product ID';
export const productIdHelp = 'The ID in the shop. All variations of the product are sent.';

export const runTypes: Readonly<Record<SyncLog['run_type'], string>> = {
  full: 'Everything',
  incremental: 'Changes',
  single: 'One product',
};
export const triggers: Readonly<Record<SyncLog['trigger'], string>> = {
  schedule: 'scheduled',
  manual: 'manual',
  repair: 'repair',
};
export const outcomes: Readonly<Record<SyncLog['status'], string>> = {
  running: 'In progress.',
  completed: 'Everything was done.',
  partial: 'Some of the work was not done.',
  failed: 'The run failed.',
  cancelled: 'Cancelled because the module was turned off or the shop was disconnected.',
};

export const inProgress = 'Sync in progress';
export const progress = 'Progress of the sync';
export const showLog = 'Show log';
export const runStarted = (type: string, trigger: string): string => `${type} (${trigger}), started`;
export const runTook = (duration: string): string => `, duration ${duration}`;
export const itemsRead = (count: number): string => `${count.toLocaleString()} items read from the shop.`;
export const itemsReadOf = (count: number, expected: number, percent: number): string =>
  `${count.toLocaleString()} of about ${expected.toLocaleString()} items read from the shop (${percent} %).`;
export const itemsDone = (sentCount: number, failedCount: number, deletedCount: number): string =>
  `${sentCount.toLocaleString()} sent, ${failedCount.toLocaleString()} failed, ${deletedCount.toLocaleString()} deleted.`;
export const lastHeartbeat = 'Last heartbeat:';
export const noHeartbeat = 'none yet';

export const lastRun = 'Last run';
export const runs = 'Runs';
export const allRuns = 'All runs';
export const loadingRuns = 'the runs';
export const noRuns = 'No runs yet.';
export const started = 'Started';
export const scope = 'Scope';
export const status = 'Status';
export const duration = 'Duration';
export const sent = 'Sent';
export const sentHelp = 'Accepted by the merchant account.';
export const skipped = 'Skipped';
export const skippedHelp = 'Unchanged since they were last sent, or excluded from the feed.';
export const failed = 'Failed';
export const failedHelp = 'Not accepted by the merchant account.';
export const deleted = 'Deleted';
export const deletedHelp = 'Deleted from the merchant account because the shop no longer lists them.';
export const notEnded = 'not ended';
export const lessThanSecond = 'less than 1 s';
export const seconds = (count: number): string => `${count} s`;
export const minutes = (count: number): string => `${count} min`;
export const hours = (count: string): string => `${count} h`;

export const run = 'Sync run';
export const loadingRun = 'the run';
export const toRuns = 'Back to runs';
export const scopeOf = (type: string, product: string): string => `${type}: ${product}`;
export const trigger = 'Trigger';
export const ended = 'Ended';
export const notYet = 'not yet';
export const runId = 'Run ID:';
export const theRunId = 'the run ID';
export const offersOfProduct = 'Offers of this product';

export const rejected = 'Rejected by the merchant account';
export const rejectedHelp = 'The first rejections. Each offer shows its own.';
export const rejectedOffers = 'Rejected offers';
export const offer = 'Offer';
export const code = 'Code';
export const reason = 'Reason';
export const excluded = 'Excluded';
export const excludedCount = (total: number, shown: number): string =>
  total > shown
    ? `${total.toLocaleString()} in total. These are the first ${shown.toLocaleString()}.`
    : `${total.toLocaleString()} in total.`;
export const duplicates = 'Repeated offer IDs';
export const duplicatesHelp =
  'Several items of the shop have these IDs. Only the first item of each was sent. Give each item its own ID.';
export const unknownCategories = 'Unknown categories';
export const unknownCategoriesHelp = 'Category mappings name these categories, but the shop does not have them.';
export const ambiguousCategories = 'Ambiguous categories';
export const ambiguousCategoriesHelp =
  'Several categories of the shop have these names. In the feed settings, enter their paths from the root.';
export const undeleted = (count: number): string =>
  count === 1
    ? 'The shop no longer lists 1 offer. It was not deleted because of the sync settings.'
    : `The shop no longer lists ${count.toLocaleString()} offers. They were not deleted because of the sync settings.`;
export const detailsAsJson = 'Details as JSON';
export const theDetails = 'the details';
