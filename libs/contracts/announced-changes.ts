import { buildChanges } from './builds';
import type { AnnouncedChanges } from './changes';
import { keyChanges } from './keys';
import { listingChanges } from './listings';
import { registryChanges } from './registry';

/** What every service announces, by the service whose projections show it. */
export const announcedChanges = {
  registry: registryChanges,
  'build-pipeline': buildChanges,
  keys: keyChanges,
  'merchant-sync': listingChanges,
} satisfies Readonly<Record<string, AnnouncedChanges>>;
export type AnnouncingService = keyof typeof announcedChanges;
