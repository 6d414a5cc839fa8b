export * from './engine-health';
export * from './injection-tokens';
export * from './periodic-task';
export * from './provide';
export * from './run-process';
export * from './service';
export * from './service-diagnostics';
export * from './start-service';
