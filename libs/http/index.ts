export * from './client-address';
export * from './error-reply';
export * from './front';
export * from './json-body';
export * from './response-turn';
export * from './storable-text';
export * from './validation';
export * from './traffic';
