import type { Mapping } from '@sluice/contracts';

/** What each listing status means. */
export const STATUS_WORDS: Readonly<Record<Mapping['listing_status'], string>> = {
  approved: 'Shown by Google.',
  pending: 'Not sent yet, or not judged yet.',
  expiring: 'Approved, and ends within three days unless sent again.',
  disapproved: 'Not shown by Google, because of its issues.',
};

export const STATUSES = ['approved', 'pending', 'expiring', 'disapproved'] as const;
