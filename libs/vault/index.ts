export * from './keyring';
export type { Resealed, ResealOptions } from './reseal';
export * from './vault';
