import Rollbar from 'rollbar';
import { adapt } from './adapters/rollbar.js';

/** provider_5 with its SDK. */
export const prepare = adapt(() => Promise.resolve({ default: Rollbar }));
