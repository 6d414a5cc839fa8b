import { shared } from './shared';

/** The owner who is signed in on this page. */
let owner: number | undefined;
/** Settled by the person: they sign in again, or leave. */
const pause = shared<PromiseWithResolvers<null> | undefined>(undefined);

/** The owner of this page's session. With undefined, a 401 is expected, and no request waits for a session. */
export function signedInAs(id: number | undefined): void {
  owner = id;
  if (id !== undefined) return;
  const left = pause.get();
  pause.set(undefined);
  left?.reject(undefined);
}

/** Whose session this page has, or had until it ended. */
export const signedInOwner = (): number | undefined => owner;

/** Asks the person to sign in again. Rejects with undefined when they leave instead. */
export async function signedInAgain(): Promise<void> {
  if (pause.get() === undefined) pause.set(Promise.withResolvers<null>());
  await pause.get()?.promise;
}

/** There is a session again: what waits for it is sent once more. */
export function endPause(): void {
  const ended = pause.get();
  pause.set(undefined);
  ended?.resolve(null);
}

/** Whether requests wait for the person to sign in again. */
export const useSessionEnded = (): boolean => pause.use((left) => left !== undefined);
