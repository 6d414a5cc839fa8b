import type { SyncLog } from '@sluice/contracts';
import { counted } from '../shared';

/** The texts of syncs: their start, progress, runs and logs. */

export const loading = 'the state of the sync';
export const syncNow = 'Sync now';
export const notConnected = 'The shop is not connected to a merchant account.';
export const start = 'Start sync';
export const whatToSend = 'What to send';
export const whatToSendHelp =
  'The first sync always sends everything. Except with “One product”, a sync also deletes the offers of products that are no longer in the shop, if the sync settings allow it.';
export const sendChanges = 'Changes only';
export const sendEverything = 'Everything';
export const sendOne = 'One product';
export const productId = 'Product ID';
export const productIdHelp = 'The ID in the shop. All variations of the product are sent.';

export const runTypes: Readonly<Record<SyncLog['run_type'], string>> = {
  full: 'Everything',
  incremental: 'Changes only',
  single: 'One product',
};
export const triggers: Readonly<Record<SyncLog['trigger'], string>> = {
  schedule: 'scheduled',
  manual: 'manual',
  repair: 'repair',
};
export const outcomes: Readonly<Record<SyncLog['status'], string>> = {
  running: 'In progress.',
  completed: 'All offers were processed.',
  partial: 'Some offers were not processed.',
  failed: 'The run failed.',
  cancelled: 'Cancelled because the module was turned off or the merchant account was disconnected.',
};

export const inProgress = 'Sync in progress';
export const progress = 'Progress of the sync';
export const showLog = 'Show run';
const starts: typeof triggers = {
  schedule: 'started on schedule',
  manual: 'started manually',
  repair: 'started by a repair',
};
export const runStarted = (type: string, trigger: SyncLog['trigger']): string => `${type}, ${starts[trigger]}`;
export const runTook = (duration: string): string => `, took ${duration}`;
const readOf = (count: number): string => counted(count, 'product or variation', 'products and variations');
export const itemsRead = (count: number): string => `${readOf(count)} read from the shop.`;
export const itemsReadOf = (count: number, expected: number, percent: number): string =>
  `${count.toLocaleString()} of about ${readOf(expected)} read from the shop (${percent}%).`;
export const itemsDone = (sentCount: number, failedCount: number, deletedCount: number): string =>
  `${sentCount.toLocaleString()} sent, ${failedCount.toLocaleString()} failed, ${deletedCount.toLocaleString()} deleted.`;
export const lastHeartbeat = 'Last activity:';
export const noHeartbeat = 'none yet';

export const lastRun = 'Last run';
export const runs = 'Runs';
export const allRuns = 'All runs';
export const loadingRuns = 'the runs';
export const noRuns = 'No runs yet.';
export const started = 'Started';
export const scope = 'What was sent';
export const status = 'Status';
export const duration = 'Duration';
export const sent = 'Sent';
export const sentHelp = 'Accepted by the merchant account.';
export const skipped = 'Skipped';
export const skippedHelp = 'Unchanged since they were last sent, or excluded from the feed.';
export const failed = 'Failed';
export const failedHelp = 'Not accepted by the merchant account.';
export const deleted = 'Deleted';
export const deletedHelp = 'Deleted from the merchant account because they are no longer in the shop or in the feed.';
export const notEnded = 'not ended';
export const lessThanSecond = 'less than 1 second';
export const seconds = (count: number): string => counted(count, 'second', 'seconds');
export const minutes = (count: number): string => counted(count, 'minute', 'minutes');
export const hours = (count: string): string => `${count} ${count === '1.0' ? 'hour' : 'hours'}`;

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
export const rejectedHelp = 'Shows the first rejected offers. “Offers” shows the last error of each offer.';
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
  'Several products or variations in the shop have these offer IDs. Only the first of each was sent. Give each its own ID.';
export const unknownCategories = 'Unknown categories';
export const unknownCategoriesHelp = 'Category mappings name these categories, but the shop does not have them.';
export const ambiguousCategories = 'Ambiguous categories';
export const ambiguousCategoriesHelp =
  'Several categories of the shop have these names. In the feed settings, enter their paths from the root.';
export const undeleted = (count: number): string =>
  count === 1
    ? '1 offer is no longer in the shop. Because of the sync settings, it was kept in the merchant account.'
    : `${count.toLocaleString()} offers are no longer in the shop. Because of the sync settings, they were kept in the merchant account.`;
export const detailsAsJson = 'Details as JSON';
export const theDetails = 'the details';
