/** The texts of the feed: its download and its preview. */

export const download = 'Download';
export const downloadHelp =
  'The whole feed as a file. It is read from the shop now, which may take a minute, and contains the offers that a sync would send.';
export const asRss = 'Download as RSS';
export const asTsv = 'Download as TSV';

export const preview = 'Preview';
export const loading = 'the feed from the shop';
export const parts = 'Parts of the feed';
export const reading = 'Reading the shop …';
export const from = (position: number): string => `From item ${position.toLocaleString()}`;

export const included = 'Included in the feed';
export const feedSettings = 'Feed settings';
export const noneIncluded = 'No product in this part of the shop can be listed.';
export const items = 'Items of the feed';
export const offer = 'Offer';
export const title = 'Title';
export const price = 'Price';
export const insteadOf = (regular: string): string => `instead of ${regular}`;
export const availability = 'Availability';
export const product = 'Product';
export const none = 'none';

export const excluded = 'Excluded from the feed';
export const noneExcluded = 'No product in this part of the shop is excluded.';
export const excludedItems = 'Excluded items';
export const variation = 'Variation';
export const reason = 'Reason';
