export * from './object-key';
export * from './port';
