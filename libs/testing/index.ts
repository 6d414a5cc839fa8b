export * from './decider-specification';
export * from './eventually';
export * from './recording-logger';
export * from './temporary-directory';
