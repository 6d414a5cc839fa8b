export * from './periodic-writes';
export * from './port';
export * from './process-manager';
export * from './projection';
export * from './projections';
export { rebuildProjection, type RebuildOptions } from './rebuild';
export * from './replay';
export * from './verify';
export * from './sweeps';
