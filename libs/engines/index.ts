export * from './key-file';
export * from './open-engines';
