import {
  BrowserClient,
  Scope,
  browserTracingIntegration,
  defaultStackParser,
  httpContextIntegration,
  linkedErrorsIntegration,
  makeFetchTransport,
  setCurrentClient,
} from '@sentry/browser';
import { adapt } from './adapters/sentry.js';

const sdk = {
  BrowserClient,
  Scope,
  browserTracingIntegration,
  defaultStackParser,
  httpContextIntegration,
  linkedErrorsIntegration,
  makeFetchTransport,
  setCurrentClient,
};

/** provider_1 with the parts of `@sentry/browser` that it uses. */
export const prepare = adapt(() => Promise.resolve(sdk));
