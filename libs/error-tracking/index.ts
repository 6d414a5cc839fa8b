import type { ErrorTrackingConfig, ProviderId } from './configuration.js';
import { createTracker, type ErrorTracker } from './tracker.js';

export type * from './configuration.js';
export type * from './context.js';
export type { ErrorTracker } from './tracker.js';

/**
 * One call for up to eight error-tracking providers. Nothing of a provider is loaded, stored or sent before
 * `setConsent({ errorTracking: true })`, and nothing after it is taken back.
 */
export function createErrorTracking<Id extends ProviderId>(config: ErrorTrackingConfig<Id>): ErrorTracker {
  return createTracker(config as unknown as ErrorTrackingConfig, {
    adapters: {
      provider_1: () => import('./adapters/sentry.js'),
      provider_3: () => import('./adapters/datadog.js'),
      provider_4: () => import('./adapters/bugsnag.js'),
      provider_5: () => import('./adapters/rollbar.js'),
      provider_6: () => import('./adapters/logrocket.js'),
      provider_7: () => import('./adapters/raygun.js'),
      provider_8: () => import('./adapters/app-center.js'),
    },
    now: Date.now,
    warn: (message) => console.warn(message),
    browser: typeof window !== 'undefined' && typeof document !== 'undefined',
  });
}
