import Bugsnag from '@bugsnag/browser';
import { adapt } from './adapters/bugsnag.js';

/** provider_4 with its SDK. */
export const prepare = adapt(() => Promise.resolve({ default: Bugsnag }));
