/** The texts of the feed: its download and its preview. */

export const download = 'Download';
export const downloadHelp =
  'Downloads the whole feed: the offers that a sync would send now. Reading the shop may take a minute.';
export const asRss = 'Download as RSS';
export const asTsv = 'Download as TSV';

export const preview = 'Preview';
export const loading = 'the feed from the shop';
export const parts = 'Pages of the feed';
export const reading = 'Reading the shop…';
export const from = (position: number): string => `Products from no. ${position.toLocaleString()}`;

export const included = 'Included in the feed';
export const feedSettings = 'Feed settings';
export const noneIncluded = 'No products on this page can be listed.';
export const items = 'Offers in the feed';
export const offer = 'Offer';
export const title = 'Title';
export const price = 'Price';
export const insteadOf = (regular: string): string => `instead of ${regular}`;
export const availability = 'Availability';
export const product = 'Product ID';
export const none = 'none';

export const excluded = 'Excluded from the feed';
export const noneExcluded = 'No products on this page are excluded.';
export const excludedItems = 'Excluded products';
export const variation = 'Variation ID';
export const reason = 'Reason';
