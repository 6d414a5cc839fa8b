export * from './port';
export * from './command-handling';
