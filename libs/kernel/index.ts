export * from './clock';
export * from './decider';
export * from './domain-error';
export * from './fraction';
export * from './ids';
export * from './json';
export * from './sorted-map';
export * from './version';
