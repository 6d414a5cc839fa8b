/** The parts of the SDK that are used, so that bundlers can leave out the others. */
export {
  BrowserClient,
  Scope,
  browserTracingIntegration,
  defaultStackParser,
  httpContextIntegration,
  linkedErrorsIntegration,
  makeFetchTransport,
  setCurrentClient,
} from '@sentry/browser';
