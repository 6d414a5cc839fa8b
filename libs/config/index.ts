export * from './masked-url';
export * from './setting-types';
export * from './settings';
export * from './version';
