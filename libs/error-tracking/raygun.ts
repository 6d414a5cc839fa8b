import { adapt } from './adapters/raygun.js';

/** provider_7. Its SDK replaces `window.onerror` when it is imported, so the adapter imports it and puts that back. */
export const prepare = adapt(() => import('raygun4js'));
