import setup from 'logrocket/setup';
import type { PrepareAdapter } from './tracker/adapter.js';
import { adapt } from './adapters/logrocket.js';

/** provider_6 with the part of its SDK that is on npm. */
export const prepare: PrepareAdapter<'provider_6'> = adapt(() => Promise.resolve({ default: setup }));
