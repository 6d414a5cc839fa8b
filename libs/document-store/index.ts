export * from './port';
export * from './projections';
