import type { DataKeys } from '@sluice/vault';

/** Data keys that are as given and stay so: version 1 first. */
export function dataKeysOf(...keys: readonly Buffer[]): DataKeys {
  const held = keys.map((key, index) => ({ version: index + 1, key, madeAt: index })).reverse();
  const [newest] = held;
  if (newest === undefined) throw new Error('A data key has at least one version.');
  return {
    ...{ held, newest },
    find: (version) => Promise.resolve(held.find((key) => key.version === version)),
    refresh: () => Promise.resolve(),
  };
}
