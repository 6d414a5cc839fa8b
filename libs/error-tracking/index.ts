import type { ErrorTrackingConfig, ProviderId } from './tracker/configuration.js';
import { createErrorTracking as createFromEntries, type ProviderEntries } from './core.js';
import type { ErrorTracker } from './tracker/tracker.js';

export type * from './tracker/configuration.js';
export type * from './tracker/context.js';
export type { ErrorTracker } from './tracker/tracker.js';

/**
 * Reports errors to up to seven error-tracking providers. Nothing of a provider is loaded, stored or sent before
 * `setConsent({ errorTracking: true })`, and nothing after consent is withdrawn.
 */
export function createErrorTracking<Id extends ProviderId>(config: ErrorTrackingConfig<Id>): ErrorTracker {
  return createFromEntries(config as unknown as ErrorTrackingConfig, ENTRIES);
}

const ENTRIES: ProviderEntries = {
  provider_1: async () => ({ prepare: (await import('./adapters/sentry.js')).adapt(loadSentry) }),
  provider_3: async () => ({ prepare: (await import('./adapters/datadog.js')).adapt(loadDatadog) }),
  provider_4: async () => ({ prepare: (await import('./adapters/bugsnag.js')).adapt(loadBugsnag) }),
  provider_5: async () => ({ prepare: (await import('./adapters/rollbar.js')).adapt(loadRollbar) }),
  provider_6: async () => ({ prepare: (await import('./adapters/logrocket.js')).adapt(loadLogRocket) }),
  provider_7: async () => ({ prepare: (await import('./adapters/raygun.js')).adapt(loadRaygun) }),
  provider_8: () => import('./adapters/app-center.js'),
};

// Each SDK is optional. Bundlers accept that it is missing because a `try` surrounds its import, and leave out what the
// import does not name.

async function loadSentry() {
  try {
    const {
      BrowserClient,
      Scope,
      browserTracingIntegration,
      defaultStackParser,
      httpContextIntegration,
      linkedErrorsIntegration,
      makeFetchTransport,
      setCurrentClient,
    } = await import('@sentry/browser');
    return {
      BrowserClient,
      Scope,
      browserTracingIntegration,
      defaultStackParser,
      httpContextIntegration,
      linkedErrorsIntegration,
      makeFetchTransport,
      setCurrentClient,
    };
  } catch (error) {
    throw notLoaded('@sentry/browser', error);
  }
}

async function loadDatadog() {
  try {
    const { datadogRum } = await import('@datadog/browser-rum');
    return { datadogRum };
  } catch (error) {
    throw notLoaded('@datadog/browser-rum', error);
  }
}

async function loadBugsnag() {
  try {
    return await import('@bugsnag/browser');
  } catch (error) {
    throw notLoaded('@bugsnag/browser', error);
  }
}

async function loadRollbar() {
  try {
    return await import('rollbar');
  } catch (error) {
    throw notLoaded('rollbar', error);
  }
}

async function loadLogRocket() {
  try {
    return await import('logrocket/setup');
  } catch (error) {
    throw notLoaded('logrocket', error);
  }
}

async function loadRaygun() {
  try {
    return await import('raygun4js');
  } catch (error) {
    throw notLoaded('raygun4js', error);
  }
}

function notLoaded(name: string, cause: unknown): Error {
  return new Error(`${name} may not be installed: ${String(cause)}`, { cause });
}
