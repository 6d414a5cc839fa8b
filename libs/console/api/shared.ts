import { useSyncExternalStore } from 'react';

/** A value of the page. Components that use it are rendered again when it changes. */
export function shared<Value>(first: Value) {
  let value = first;
  const watchers = new Set<() => void>();
  const watch = (watcher: () => void) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  };
  return {
    get: (): Value => value,
    set: (next: Value): void => {
      value = next;
      for (const watcher of watchers) watcher();
    },
    /** The value, or the part of it that `read` returns. */
    use: <Part = Value>(read: (value: Value) => Part = (whole) => whole as unknown as Part): Part =>
      useSyncExternalStore(watch, () => read(value)),
  };
}
