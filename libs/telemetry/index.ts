export * from './cluster-metrics';
export * from './logger';
export * from './metrics';
export * from './trace-context';
export * from './tracing';
