export * from './engine-health';
export * from './key-file';
export * from './open-engines';
export * from './run-process';
export * from './service';
export * from './service-diagnostics';
export * from './start-service';
export * from './tokens';
