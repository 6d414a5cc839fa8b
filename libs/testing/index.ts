export * from './decider-specification';
export * from './temporary-directory';
