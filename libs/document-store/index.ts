export * from '@sluice/event-store';
export * from './lease';
export * from './outbox';
export * from './port';
export * from './row-pages';
export * from './sightings';
export * from './stored-leases';
export * from './sweeps';
export { matches } from './matches';
