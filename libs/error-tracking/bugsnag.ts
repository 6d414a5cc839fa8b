import Bugsnag from '@bugsnag/browser';
import type { PrepareAdapter } from './tracker/adapter.js';
import { adapt } from './adapters/bugsnag.js';

/** provider_4 with its SDK. */
export const prepare: PrepareAdapter<'provider_4'> = adapt(() => Promise.resolve({ default: Bugsnag }));
