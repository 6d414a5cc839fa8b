export * from './decider-specification';
export * from './recording-logger';
export * from './temporary-directory';
