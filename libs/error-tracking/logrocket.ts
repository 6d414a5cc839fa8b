import setup from 'logrocket/setup';
import { adapt } from './adapters/logrocket.js';

/** provider_6 with the part of its SDK that is on npm. */
export const prepare = adapt(() => Promise.resolve({ default: setup }));
