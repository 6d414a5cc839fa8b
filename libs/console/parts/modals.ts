import { useEffect, useState, useSyncExternalStore } from 'react';

/** The open dialogs, the topmost last. */
let stack: readonly symbol[] = [];
const watchers = new Set<() => void>();

function become(next: typeof stack): void {
  stack = next;
  for (const watcher of watchers) watcher();
}

function useStack<Value>(read: () => Value): Value {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, read);
}

/** Counts a dialog while it is open, and answers whether it is the topmost. */
export function useIsTopmost(open: boolean): boolean {
  const [id] = useState(() => Symbol('dialog'));
  useEffect(() => {
    if (!open) return undefined;
    become([...stack, id]);
    return () => become(stack.filter((each) => each !== id));
  }, [open, id]);
  return useStack(() => stack.at(-1) === id);
}

export const useNoneIsOpen = (): boolean => useStack(() => stack.length === 0);
