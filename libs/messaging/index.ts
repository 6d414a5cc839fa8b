export { continueIn, traceparentOf, type MessageHeaders } from './caller-headers';
export * from './port';
export * from './rpc';
export { answer, answerCalls, HandlesCommand, HandlesQuery, serveHandlers } from './serve-calls';
export * from './replica-positions';
