export * from './history';
export * from './part';
