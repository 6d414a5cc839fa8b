import type { PrepareAdapter } from './tracker/adapter.js';
import type { ErrorTrackingConfig, ProviderId } from './tracker/configuration.js';
import { createTracker, type ErrorTracker } from './tracker/tracker.js';

export type * from './tracker/configuration.js';
export type * from './tracker/context.js';
export type { ErrorTracker } from './tracker/tracker.js';

/** For each provider an import of its entry, as `() => import('@sluice/error-tracking/sentry')`. */
export type ProviderEntries<Id extends ProviderId = ProviderId> = {
  readonly [Name in Exclude<Id, 'provider_2'>]: () => Promise<{ readonly prepare: PrepareAdapter<Name> }>;
};

/**
 * Reports errors to the providers that have an entry in `entries`. Like `createErrorTracking` of the package itself,
 * except that only these providers become part of the app's bundle. An entry is imported after consent is given.
 */
export function createErrorTracking<Id extends ProviderId>(
  config: ErrorTrackingConfig<Id>,
  entries: ProviderEntries<Id>,
): ErrorTracker {
  return createTracker(config as unknown as ErrorTrackingConfig, {
    adapters: entries,
    now: Date.now,
    warn: (message) => console.warn(message),
    browser: typeof window !== 'undefined' && typeof document !== 'undefined',
  });
}
