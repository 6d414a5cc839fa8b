import { useSyncExternalStore } from 'react';

/** The owner who is signed in on this page. */
let owner: number | undefined;
/** Settled by the person: they sign in again, or leave. */
let pause: PromiseWithResolvers<null> | undefined;
const watchers = new Set<() => void>();

function become(next: typeof pause): void {
  pause = next;
  for (const watcher of watchers) watcher();
}

/** Whose session this page has; undefined: nobody’s, so that a 401 is no surprise, and nothing waits for a session. */
export function signedInAs(id: number | undefined): void {
  owner = id;
  if (id !== undefined) return;
  const left = pause;
  become(undefined);
  left?.reject(undefined);
}

/** Whose session this page has, or had until it ended. */
export const signedInOwner = (): number | undefined => owner;

/** Asks the person to sign in again. Rejects with undefined when they leave instead. */
export async function signedInAgain(): Promise<void> {
  if (pause === undefined) become(Promise.withResolvers<null>());
  await pause?.promise;
}

/** There is a session again: what waits for it is sent once more. */
export function endPause(): void {
  const ended = pause;
  become(undefined);
  ended?.resolve(null);
}

/** Whether requests wait for the person to sign in again. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => pause !== undefined,
  );
}
