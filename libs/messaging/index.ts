export { continueIn, traceparentOf, type MessageHeaders } from './caller-headers';
export * from './port';
export * from './rpc';
export {
  answer,
  answerCalls,
  CommandOf,
  HandlesCommand,
  HandlesQuery,
  QueryOf,
  serveCalls,
  serveHandlers,
} from './serve-calls';
export * from './replica-positions';
