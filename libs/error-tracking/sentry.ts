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
import type { PrepareAdapter } from './tracker/adapter.js';
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
export const prepare: PrepareAdapter<'provider_1'> = adapt(() => Promise.resolve(sdk));
