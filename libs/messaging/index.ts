export { continueIn, traceparentOf, type MessageHeaders } from './caller-headers';
export * from './port';
export * from './rpc';
export * from './live-members';
