import type { Mapping } from '@sluice/contracts';

/** The texts of the offers, and of the dialog of one offer. */

export const title = 'Offers';
export const lead = 'Shows the state after the last sync. Each product has one offer, or one for each variation.';
export const loading = 'the offers';
export const matching = 'Matching offers';
export const statusMeanings: Readonly<Record<Mapping['listing_status'], string>> = {
  approved: 'Google can show it.',
  pending: 'Not sent or not reviewed yet.',
  expiring: 'Approved, but expires within three days unless it is sent again. Not counted as approved.',
  disapproved: 'Not shown by Google because of its issues.',
};

export const filter = 'Filter offers';
export const status = 'Status';
export const all = 'All';
export const product = 'Product ID';
export const productHint = 'As in the shop';
export const show = 'Show';
export const showAll = 'Show all';
export const noMatch = 'No matching offers';
export const noMatchHelp = 'Choose another status or product.';
export const noOffers = 'No offers yet';
export const noOffersHelp = 'The first sync creates one for each product that can be listed.';
export const toSync = 'Go to the sync';

export const offer = 'Offer';
export const offerTitle = (id: string): string => `Offer ${id}`;
export const variationOf = (id: string): string => `variation ${id}`;
export const issues = 'Issues';
export const noIssues = 'Google reports no issues.';
export const lastSent = 'Last sent';
export const lastError = 'Last error';
export const none = 'none';
export const failed = (times: number, reason: string): string =>
  `Failed ${times === 1 ? 'once' : `${times.toLocaleString()} times in a row`}: ${reason}`;
export const variation = 'Variation ID';
export const group = 'Item group ID';
export const target = 'Country, language, sales channel';
export const lastStatus = 'Status from Google';
export const expires = 'Expires';
export const unknown = 'unknown';
export const created = 'Created';
export const idAtGoogle = 'ID at Google';
export const hash = 'Hash of the sent data';
export const noneYet = 'none yet';

type Severity = Mapping['validation_issues'][number]['severity'];
export const severities: Readonly<Record<Severity, string>> = {
  disapproved: 'Not shown',
  demoted: 'Shown less often',
  not_impacted: 'No effect now',
};
export const attribute = (name: string): string => `attribute ${name}`;
export const howToFix = 'How to fix it';
