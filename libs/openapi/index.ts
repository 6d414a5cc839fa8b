export * from './document';
export * from './envelopes';
export * from './json-schema';
export * from './path-parameters';
export * from './route';
