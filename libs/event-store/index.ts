export * from './port';
export * from './command-handling';
export * from './prefix-streams';
export * from './sequence';
export * from './serialized-event';
export * from './subscription';
export * from './upcasting';
