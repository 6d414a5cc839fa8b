import { useEffect, useState } from 'react';
import { shared } from '../api/shared';

/** The open dialogs, the topmost last. */
const stack = shared<readonly symbol[]>([]);

/** Registers a dialog while it is open. Returns whether it is the topmost. */
export function useIsTopmost(open: boolean): boolean {
  const [id] = useState(() => Symbol('dialog'));
  useEffect(() => {
    if (!open) return undefined;
    stack.set([...stack.get(), id]);
    return () => stack.set(stack.get().filter((each) => each !== id));
  }, [open, id]);
  return stack.use((open) => open.at(-1) === id);
}

export const useNoneIsOpen = (): boolean => stack.use(({ length }) => length === 0);

export const isModalOpen = (): boolean => stack.get().length > 0;
