export * from './masked-url';
export * from './settings';
export * from './version';
