import type { Mapping } from '@sluice/contracts';

/** What each listing status means. */
export const STATUS_WORDS: Readonly<Record<Mapping['listing_status'], string>> = {
  approved: 'The remote side shows them.',
  pending: 'Not sent yet, or not judged yet.',
  expiring: 'Approved, and ends within three days unless sent again.',
  disapproved: 'The remote side does not show them; their issues tell why.',
};
