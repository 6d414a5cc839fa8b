export * from './port';
export * from './rpc';
export * from './live-members';
