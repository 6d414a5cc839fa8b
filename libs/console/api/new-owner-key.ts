import { useSyncExternalStore } from 'react';

/**
 * The owner key that this page has just made. It is held beside the session, which a new key ends: who waits
 * for it sees the sign-in next.
 */
let key: string | undefined;
const watchers = new Set<() => void>();

/** `undefined`: it has been copied, and is held no more. */
export function holdNewOwnerKey(made: string | undefined): void {
  key = made;
  for (const watcher of watchers) watcher();
}

export function useNewOwnerKey(): string | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => key,
  );
}
