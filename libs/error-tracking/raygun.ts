import type { PrepareAdapter } from './tracker/adapter.js';
import { adapt } from './adapters/raygun.js';

/** provider_7. Its SDK replaces `window.onerror` when it is imported, so the adapter imports it and puts that back. */
export const prepare: PrepareAdapter<'provider_7'> = adapt(() => import('raygun4js'));
