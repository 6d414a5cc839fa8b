import { useSyncExternalStore } from 'react';

/** A value of the page that whatever shows it follows. */
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
    /** The value, or what `read` takes of it. */
    use: <Part = Value>(read: (value: Value) => Part = (whole) => whole as unknown as Part): Part =>
      useSyncExternalStore(watch, () => read(value)),
  };
}
