import { createErrorTracking as createFromEntries } from '../../libs/error-tracking/core.js';
import { createErrorTracking } from '../../libs/error-tracking/index.js';

declare global {
  interface Window {
    createErrorTracking: typeof createErrorTracking;
    /** With the entries of all providers. */
    createFromEntries: typeof createErrorTracking;
    tracking: ReturnType<typeof createErrorTracking>;
  }
}

window.createErrorTracking = createErrorTracking;
window.createFromEntries = (config) =>
  createFromEntries(config as never, {
    provider_1: () => import('../../libs/error-tracking/sentry.js'),
    provider_3: () => import('../../libs/error-tracking/datadog.js'),
    provider_4: () => import('../../libs/error-tracking/bugsnag.js'),
    provider_5: () => import('../../libs/error-tracking/rollbar.js'),
    provider_6: () => import('../../libs/error-tracking/logrocket.js'),
    provider_7: () => import('../../libs/error-tracking/raygun.js'),
    provider_8: () => import('../../libs/error-tracking/app-center.js'),
  });
