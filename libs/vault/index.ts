export type { DataKey, DataKeys } from './data-keys';
export * from './keyring';
export type { Resealed, ResealOptions } from './reseal';
export { deriveSealKeys, sealKeysFrom } from './seal-keys';
export * from './seal-then-append';
export * from './vault';
