export * from './process-manager';
export * from './projection';
export type { ObserveEvents } from './projection-run';
export * from './projections';
export { RowBuffer } from './row-buffer';
export { rebuildProjection, type RebuildOptions } from './rebuild';
export * from './verify';
