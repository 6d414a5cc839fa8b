import { adapt } from './adapters/sentry.js';
import * as sdk from './sentry-sdk.js';

/** provider_1 with the parts of `@sentry/browser` that it uses. */
export const prepare = adapt(() => Promise.resolve(sdk));
