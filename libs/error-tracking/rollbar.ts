import Rollbar from 'rollbar';
import type { PrepareAdapter } from './tracker/adapter.js';
import { adapt } from './adapters/rollbar.js';

/** provider_5 with its SDK. */
export const prepare: PrepareAdapter<'provider_5'> = adapt(() => Promise.resolve({ default: Rollbar }));
