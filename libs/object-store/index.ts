export * from './object-key';
export * from './port';
export * from './sealed-stream';
