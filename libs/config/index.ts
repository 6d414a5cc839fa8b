export * from './settings';
export * from './version';
