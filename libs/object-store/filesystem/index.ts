export * from './filesystem-object-store';
